import Sqlite from 'better-sqlite3'
import { sql } from 'drizzle-orm'
import { createCommitQueue } from './commit-together.ts'
import {
  type Connection,
  type Database,
  StoreUnavailable,
  type Value,
  type WriteOptions,
} from './database.ts'
import { createScopeGuard } from './one-scope.ts'
import { sqliteTables } from './schema.ts'
import { sqliteQueries } from './sqlite-queries.ts'

/** UPDATE … FROM, RETURNING and the write-ahead log's fixes are all in. */
const OLDEST = [3, 45]
/** How long patient work waits for a flush to ride along with. */
const PATIENCE_MS = 5

export interface SqliteOptions {
  /** A file's path, or `:memory:`. */
  path: string
  /**
   * Told when a flush failed. What the disk holds is then unknown, and asking again may well answer "done" for
   * what was lost: the process must end and recover from the log at its next start.
   */
  onFatal(error: Error): void
}

export function openSqlite({ path, onFatal }: SqliteOptions): Database {
  const writer = open(path, false)
  // In memory there is only one connection, so a read waits its turn among the writes.
  const reader = path === ':memory:' ? undefined : open(path, true)
  const writing = connectionTo(writer)
  const reading = reader && connectionTo(reader)
  const guarded = createScopeGuard()
  const step = (text: string) => {
    const statement = writer.prepare(text)
    return () => void statement.run()
  }
  const queue = createCommitQueue(
    {
      begin: step('BEGIN IMMEDIATE'),
      commit: step('COMMIT'),
      rollback: step('ROLLBACK'),
      savepoint: step('SAVEPOINT work'),
      rollbackToSavepoint: step('ROLLBACK TO work'),
      release: step('RELEASE work'),
      open: () => writer.inTransaction,
    },
    // In memory there is no flush to share.
    reader ? PATIENCE_MS : 0,
  )

  type Work<T> = (connection: Connection) => Promise<T>

  async function commit<T>(work: Work<T>, { patient = false }: WriteOptions = {}): Promise<T> {
    try {
      return await queue.add(() => work(writing), patient)
    } catch (error) {
      throw translated(error, onFatal)
    }
  }

  return {
    engine: 'sqlite',
    read: (work) => guarded(() => (reading ? work(reading) : commit(work))),
    write: (work, options) => guarded(() => commit(work, options)),
    async close() {
      await queue.drained()
      reader?.close()
      writer.pragma('wal_checkpoint(TRUNCATE)')
      writer.close()
    },
  }
}

function open(path: string, readonly: boolean): Sqlite.Database {
  const client = new Sqlite(path, { readonly })
  assertVersion(client)
  client.pragma('busy_timeout = 5000')
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
  return client
}

function assertVersion(client: Sqlite.Database): void {
  const version = String(client.prepare('SELECT sqlite_version()').pluck().get())
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    throw new Error(`expected SQLite ${OLDEST.join('.')} or newer, got ${version}`)
  }
}

function connectionTo(client: Sqlite.Database): Connection {
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

function translated(error: unknown, onFatal: (error: Error) => void): unknown {
  const code = codeOf(error)
  if (code.startsWith('SQLITE_IOERR') && error instanceof Error) onFatal(error)
  if (/^SQLITE_(BUSY|FULL|LOCKED|READONLY|IOERR)/.test(code)) {
    return new StoreUnavailable(`the database cannot take a write: ${code}`, { cause: error })
  }
  return error
}

/** The driver's code, also when the query builder has wrapped the driver's error. */
function codeOf(error: unknown): string {
  if (error instanceof Sqlite.SqliteError) return error.code
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : ''
}
