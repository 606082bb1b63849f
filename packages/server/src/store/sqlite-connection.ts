import Sqlite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { type Connection, StoreUnavailable, type Value } from './database.ts'
import { sqliteTables } from './schema.ts'
import { sqliteQueries } from './sqlite-queries.ts'

/** UPDATE … FROM, RETURNING and the write-ahead log's fixes are all in. */
const OLDEST = [3, 45]

export interface ClientOptions {
  readonly: boolean
  /** How long opening it puts the thread to sleep while another process keeps it locked. Later on nothing does. */
  lockWaitMs: number
}

export function openClient(path: string, { readonly, lockWaitMs }: ClientOptions): Sqlite.Database {
  try {
    const client = new Sqlite(path, { readonly, timeout: lockWaitMs })
    assertVersion(client)
    client.pragma('foreign_keys = ON')
    client.pragma('cache_size = -65536')
    client.pragma('temp_store = MEMORY')
    if (!readonly) {
      client.pragma('journal_mode = WAL')
      client.pragma('synchronous = FULL')
      // Under load most pages change again and again: moved home from a log of 64 MB, each is written once for many.
      client.pragma('wal_autocheckpoint = 16000')
      client.pragma('journal_size_limit = 134217728')
    }
    client.pragma('busy_timeout = 0')
    return client
  } catch (error) {
    throw translated(error, 'opened')
  }
}

function assertVersion(client: Sqlite.Database): void {
  const version = String(client.prepare('SELECT sqlite_version()').pluck().get())
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Error(`expected SQLite ${OLDEST.join('.')} or newer, got ${version}`)
  }
}

export function connectionTo(client: Sqlite.Database): Connection {
  const statements = new Map<string, Sqlite.Statement>()
  const prepared = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    const fresh = client.prepare(text.replace(/\$\d+/g, '?'))
    statements.set(text, fresh)
    return fresh
  }
  return {
    db: sqliteQueries(client),
    t: sqliteTables,
    locks: { forUpdate: '', skipLocked: '', forUpdateSql: sql`` },
    async run<Row extends object>(text: string, values: readonly Value[]): Promise<Row[]> {
      const statement = prepared(text)
      if (statement.reader) return statement.all(values) as Row[]
      statement.run(values)
      return []
    },
  }
}

/** Another process writes, recovers the log, or is the last to close the file. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|PROTOCOL)/.test(codeOf(error))
}

/** What may be over in a moment. A reader that meets `SQLITE_READONLY` is a fault of ours, so it is not among them. */
const PASSING = {
  opened: /^SQLITE_(IOERR|CANTOPEN)/,
  read: /^SQLITE_(IOERR|CANTOPEN)/,
  written: /^SQLITE_(FULL|LOCKED|READONLY|IOERR)/,
}

/** The store's word for what kept the database from being opened, read or written. */
export function translated(error: unknown, wanted: keyof typeof PASSING): unknown {
  const unavailable = (text: string) => new StoreUnavailable(text, { cause: error })
  if (isLocked(error)) {
    return unavailable('the database is locked by another program: try again when that is done')
  }
  const code = codeOf(error)
  return PASSING[wanted].test(code) ? unavailable(`the database cannot be ${wanted}: ${code}`) : error
}

/** The driver's code, also when the query builder has wrapped the driver's error. */
export function codeOf(error: unknown): string {
  if (error instanceof Sqlite.SqliteError) return error.code
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : ''
}
