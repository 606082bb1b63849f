import type { Database, ReadOnlyDatabase } from './database.ts'
import { isPostgres } from './postgres/address.ts'
import { PostgresDatabase, type PostgresSettings } from './postgres/postgres.ts'
import { openSqliteToRead, SqliteDatabase } from './sqlite/sqlite.ts'

export interface OpenOptions
  extends Pick<
    PostgresSettings,
    'answerWithinMs' | 'silentAfterMs' | 'pulse' | 'connectWithinMs' | 'sessionLimits'
  > {
  /** `file:<path>`, `:memory:` or `postgres://…`, which may name several hosts */
  url: string
  postgresConnections: number
  /** How long to wait for an SQLite file that another process has locked. Default: 5 s. */
  lockWaitMs?: number | undefined
  /** The initial content of a database in memory. */
  image?: Buffer | undefined
  onFatal(error: Error): void
  onIdleError(error: Error): void
}

/** Opens the store at a URL. Creates a missing SQLite file. */
export function openDatabase(options: OpenOptions): Database {
  const { url, postgresConnections, answerWithinMs, silentAfterMs, pulse, connectWithinMs } = options
  const { sessionLimits, lockWaitMs, image } = options
  const { onFatal, onIdleError } = options
  if (isPostgres(url)) {
    return new PostgresDatabase({
      url,
      connections: postgresConnections,
      answerWithinMs,
      silentAfterMs,
      pulse,
      connectWithinMs,
      sessionLimits,
      onIdleError,
    })
  }
  const path = url === ':memory:' || url === 'file::memory:' ? ':memory:' : fileOf(url)
  if (path === undefined) throw notADatabase(url)
  return new SqliteDatabase({ path, image, onFatal, lockWaitMs })
}

/** Opens the store at a URL read-only. Creates nothing. */
export function openToRead(options: Omit<OpenOptions, 'onFatal'>): ReadOnlyDatabase {
  const { url, postgresConnections, answerWithinMs, lockWaitMs, onIdleError } = options
  if (isPostgres(url))
    return new PostgresDatabase({
      url,
      connections: postgresConnections,
      answerWithinMs,
      onIdleError,
      readOnly: true,
    })
  const path = fileOf(url)
  if (path === undefined) throw notADatabase(url)
  return openSqliteToRead(path, lockWaitMs)
}

/** The file of an SQLite database; undefined for one in memory and for PostgreSQL. */
export function fileOf(url: string): string | undefined {
  return url.startsWith('file:') && url !== 'file::memory:' ? url.slice('file:'.length) : undefined
}

function notADatabase(url: string): Error {
  return new Error(`no database has an address such as ${url.split(':')[0]}:…`)
}
