import type { Database } from './database.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

export interface OpenOptions {
  /** `file:<path>`, `:memory:` or `postgres://…` */
  url: string
  postgresConnections: number
  /** How long work waits for an SQLite file that another process keeps locked; 5 s when left out. */
  lockWaitMs?: number | undefined
  onFatal(error: Error): void
  onIdleError(error: Error): void
}

/** Opens the store that a URL names. */
export function openDatabase(options: OpenOptions): Database {
  const { url, postgresConnections, lockWaitMs, onFatal, onIdleError } = options
  if (/^postgres(ql)?:\/\//.test(url))
    return openPostgres({ url, connections: postgresConnections, onIdleError })
  if (url === ':memory:' || url === 'file::memory:')
    return openSqlite({ path: ':memory:', onFatal, lockWaitMs })
  if (url.startsWith('file:')) return openSqlite({ path: url.slice('file:'.length), onFatal, lockWaitMs })
  throw new Error(
    `expected a database such as file:./wigwag.db or postgres://user@host/name, got ${url.split(':')[0]}:…`,
  )
}
