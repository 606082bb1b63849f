import Sqlite from 'better-sqlite3'
import type { Logger } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { backoff } from '../../kernel/time/spans.ts'
import { StoreFull, StoreUnavailable, type Tx, type Value } from '../database.ts'
import { withoutValues } from '../engine.ts'
import { tables } from '../schema/schema.ts'

/** Has UPDATE … FROM, RETURNING and the fixes to the write-ahead log. */
const OLDEST = [3, 45]

/**
 * Opens the driver's connection to a file, or to a copy of bytes in memory, and sets its pragmas. While another process
 * has the file locked, opening it may block the thread for `lockWaitMs`. Later calls never block.
 */
export function openClient(
  source: string | Buffer,
  { readonly, lockWaitMs }: { readonly: boolean; lockWaitMs: number },
): Sqlite.Database {
  try {
    const client = new Sqlite(source, { readonly, timeout: lockWaitMs })
    assertVersion(client)
    client.pragma('foreign_keys = ON')
    client.pragma('cache_size = -65536')
    client.pragma('temp_store = MEMORY')
    if (!readonly) {
      client.pragma('journal_mode = WAL')
      client.pragma('synchronous = FULL')
      // checkpoints.ts makes all checkpoints: when the disk fails one that SQLite makes by itself, no one is told.
      client.pragma('wal_autocheckpoint = 0')
      client.pragma('journal_size_limit = 134217728')
    }
    client.pragma('busy_timeout = 0')
    return client
  } catch (error) {
    if (codeOf(error) === 'SQLITE_NOTADB') {
      throw new StoreUnavailable(`${source} is no SQLite database: name another file, or restore a backup`)
    }
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

/** The `Tx` of a driver's connection. Caches its prepared statements. */
export function connectionTo(client: Sqlite.Database): Tx {
  const statements = new Map<string, Sqlite.Statement>()
  const prepared = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    const fresh = client.prepare(withoutNumbers(text))
    statements.set(text, fresh)
    return fresh
  }
  return {
    db: sqliteQueries(client),
    t: tables,
    locks: { forUpdate: '', skipLocked: '' },
    async run<Row extends object>(text: string, values: readonly Value[]): Promise<Row[]> {
      const statement = prepared(text)
      if (statement.reader) return statement.all(values) as Row[]
      statement.run(values)
      return []
    },
  }
}

/** Another process is writing, recovering the log, or closing the file as the last one. */
export function isLocked(error: unknown): boolean {
  return /^SQLITE_(BUSY|PROTOCOL)/.test(codeOf(error))
}

/** The first pause between two tries. Later ones double, because most locks are brief. */
const SHORTEST_MS = 5
const LONGEST_MS = 50

/**
 * Retries while another process holds the lock. The engine's own wait would block the thread; this one lets the event
 * loop run. Once a lock has lasted `mostMs`, all waiters fail, and new callers fail on their first try until one
 * succeeds.
 */
export class LockWait {
  readonly #isLocked: (error: unknown) => boolean
  readonly #mostMs: number
  #refused: { first: number; last: number } | undefined

  constructor(mostMs: number, isLockedBy: (error: unknown) => boolean = isLocked) {
    this.#isLocked = isLockedBy
    this.#mostMs = mostMs
  }

  async run<T>(attempt: () => T | Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        const result = await attempt()
        this.#refused = undefined
        return result
      } catch (error) {
        if (!this.#isLocked(error) || this.#lockedFor() >= this.#mostMs) throw error
      }
      await new Promise((resolve) => setTimeout(resolve, backoff(tries, SHORTEST_MS, LONGEST_MS)))
    }
  }

  /** How long every try has failed. After a long gap between two tries it restarts: it may be another lock. */
  #lockedFor(): number {
    const now = performance.now()
    const refused = this.#refused
    const first = refused && now - refused.last < this.#mostMs ? refused.first : now
    this.#refused = { first, last: now }
    return now - first
  }
}

/**
 * The disk failed while it was written, so its state is unknown. A log index that cannot grow is not a disk failure: it
 * is no part of the data, and a full disk has no room for it.
 */
export function isDiskFailure(code: string): boolean {
  return code.startsWith('SQLITE_IOERR') && !code.startsWith('SQLITE_IOERR_SHM')
}

/** Errors that may be temporary. `SQLITE_READONLY` on a reader is left out, because that is a bug. */
const PASSING = {
  opened: /^SQLITE_(IOERR|CANTOPEN)/,
  read: /^SQLITE_(IOERR|CANTOPEN)/,
  written: /^SQLITE_(LOCKED|READONLY|IOERR)/,
}

/** The driver's error as {@link StoreUnavailable} if it may be temporary, else unchanged. */
export function translated(error: unknown, wanted: keyof typeof PASSING): unknown {
  withoutValues(error)
  const unavailable = (text: string) => new StoreUnavailable(text, { cause: error })
  if (isLocked(error)) {
    return unavailable('the database is locked by another program: try again when it has finished')
  }
  const code = codeOf(error)
  if (code === 'SQLITE_FULL') return new StoreFull('the disk of the database is full', { cause: error })
  return PASSING[wanted].test(code) ? unavailable(`the database cannot be ${wanted}: ${code}`) : error
}

/** The driver's error code, even if the query builder has wrapped the error. */
export function codeOf(error: unknown): string {
  if (error instanceof Sqlite.SqliteError) return error.code
  return error instanceof Error && error.cause !== undefined ? codeOf(error.cause) : ''
}

/** How many statements of the builder stay prepared. A list has a different text for each length. */
const MOST_PREPARED = 100

/**
 * PostgreSQL's query builder on SQLite, which understands what it writes for `select`, `update` and `delete`. It works
 * in microtasks alone, so that a write never waits for timers or other work.
 */
export function sqliteQueries(client: Sqlite.Database, logger?: Logger): Tx['db'] {
  const statements = new Map<string, Sqlite.Statement>()
  const prepared = (text: string) => {
    const known = statements.get(text)
    if (known) return known
    const fresh = client.prepare(withoutNumbers(text))
    if (fresh.reader) fresh.raw()
    const [oldest] = statements.keys()
    if (oldest !== undefined && statements.size >= MOST_PREPARED) statements.delete(oldest)
    statements.set(text, fresh)
    return fresh
  }
  return drizzle(
    async (text, values: unknown[]) => {
      const statement = prepared(text)
      if (statement.reader) return { rows: statement.all(values) }
      statement.run(values)
      return { rows: [] }
    },
    { casing: 'snake_case', ...(logger && { logger }) },
  )
}

/** Each `$n` is used once and in order, so a plain `?` says the same. */
function withoutNumbers(text: string): string {
  return text.replace(/\$\d+/g, '?')
}
