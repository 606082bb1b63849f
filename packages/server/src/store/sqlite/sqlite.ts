import { closeSync, existsSync, openSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { isHeld } from '../../kernel/process/event-loop.ts'
import {
  type Database,
  type ReadOnlyDatabase,
  StoreUnavailable,
  type Tx,
  type WriteOptions,
} from '../database.ts'
import { ScopeGuard } from '../engine.ts'
import { Checkpoints } from './checkpoints.ts'
import { CommitQueue } from './commit-queue.ts'
import {
  codeOf,
  connectionTo,
  isDiskFailure,
  isLocked,
  LockWait,
  openClient,
  translated,
} from './connection.ts'
import { GatewayLock } from './gateway-lock.ts'

/** How long patient work waits to share a flush. */
const PATIENCE_MS = 5
/** How long work waits for a file that another process has locked. */
const LOCK_WAIT_MS = 5_000

type Work<T> = (tx: Tx) => Promise<T>

/**
 * An SQLite database to read and write. Creates a missing file. Its parts are fields and not methods: to watch or to
 * replace one of them, callers spread the database.
 */
export class SqliteDatabase implements Database {
  readonly engine = 'sqlite'
  readonly writesAtOnce = 1
  readonly #path: string
  readonly #inMemory: boolean
  readonly #onFatal: (error: Error) => void
  readonly #writer: Sqlite.Database
  readonly #writing: Tx
  /** A database in memory has only one connection, so reads queue with the writes. */
  readonly #reader: Reader | undefined
  readonly #guard = new ScopeGuard()
  readonly #checkpoints: Checkpoints | undefined
  readonly #queue: CommitQueue
  #lock: GatewayLock | undefined
  /** Whether the transaction takes more than a slice. */
  #isLong = false

  /**
   * `path` is a file's, or `:memory:`, and `image` the initial content of a database in memory.
   *
   * `onFatal` is called when a flush failed. The state on disk is then unknown, and a second flush may report success for
   * lost data: the process must exit and recover from the log at its next start.
   */
  constructor({
    path,
    image,
    onFatal,
    lockWaitMs = LOCK_WAIT_MS,
  }: {
    path: string
    image?: Buffer | undefined
    onFatal(error: Error): void
    lockWaitMs?: number | undefined
  }) {
    this.#path = path
    this.#onFatal = onFatal
    this.#inMemory = path === ':memory:'
    if (!this.#inMemory) makeFile(path)
    const source = this.#inMemory && image ? image : path
    this.#writer = openClient(source, { readonly: false, lockWaitMs })
    this.#writing = this.#inSlices(connectionTo(this.#writer))
    this.#reader = this.#inMemory ? undefined : new Reader(path, lockWaitMs)
    this.#checkpoints = this.#inMemory ? undefined : new Checkpoints(path, this.#writer, onFatal)
    this.#queue = this.#openQueue(lockWaitMs)
  }

  readonly read: Database['read'] = (work) =>
    this.#guard.run(() => (this.#reader ? this.#reader.read(work) : this.#commit(work)))

  readonly write: Database['write'] = (work, options) => this.#guard.run(() => this.#commit(work, options))

  /** All that was committed, as bytes. */
  readonly image = (): Buffer => this.#writer.serialize()

  readonly keepForOneGateway = (): void => {
    if (!this.#inMemory) this.#lock ??= new GatewayLock(this.#path)
  }

  // No checkpoint here: it would block other writers. SQLite makes one when the last connection closes.
  readonly close = async (): Promise<void> => {
    await this.#queue.drained()
    await this.#checkpoints?.close()
    this.#reader?.close()
    this.#writer.close()
    this.#lock?.release()
  }

  async #commit<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    if (!this.#writer.open) throw closed()
    try {
      return await this.#queue.add(() => work(this.#writing), options)
    } catch (error) {
      if (error instanceof Error && isDiskFailure(codeOf(error))) this.#onFatal(error)
      throw translated(error, 'written')
    }
  }

  #openQueue(lockWaitMs: number): CommitQueue {
    const step = (text: string) => {
      const statement = this.#writer.prepare(text)
      return () => void statement.run()
    }
    const begin = step('BEGIN IMMEDIATE')
    const commitNow = step('COMMIT')
    const lockWait = new LockWait(lockWaitMs)
    return new CommitQueue(
      {
        begin: async () => {
          if (isHeld()) await this.#rest()
          await lockWait.run(begin)
          this.#isLong = false
        },
        // Never waits: with a write-ahead log, BEGIN IMMEDIATE already holds the only lock needed.
        commit: async () => {
          if (this.#isLong) await this.#rest()
          commitNow()
          this.#checkpoints?.committed()
        },
        rollback: step('ROLLBACK'),
        savepoint: step('SAVEPOINT work'),
        rollbackToSavepoint: step('ROLLBACK TO work'),
        release: step('RELEASE work'),
        open: () => this.#writer.inTransaction,
      },
      // An in-memory database has no flush to share.
      this.#inMemory ? 0 : PATIENCE_MS,
    )
  }

  /** A long transaction lets the event loop go on after each slice. Other writes wait meanwhile, reads of a file do not. */
  #inSlices(connection: Tx): Tx {
    return {
      ...connection,
      run: async (text, values) => {
        if (isHeld()) await this.#rest()
        return connection.run(text, values)
      },
    }
  }

  async #rest(): Promise<void> {
    this.#isLong = true
    await new Promise(setImmediate)
  }
}

/** Opens an existing file read-only. Leaves no new files behind. */
export function openSqliteToRead(path: string, lockWaitMs = LOCK_WAIT_MS): ReadOnlyDatabase {
  const untouched = !existsSync(`${path}-wal`)
  const reader = new Reader(path, lockWaitMs)
  const guard = new ScopeGuard()
  return {
    engine: 'sqlite',
    read: (work) => guard.run(() => reader.read(work)),
    async close() {
      reader.close()
      if (untouched) removeEmptyLog(path)
    },
  }
}

/** Another process has the file open. */
export class FileInUse extends Error {
  override readonly name = 'FileInUse'
}

/** A file that no other process can open. */
export interface LockedFile extends ReadOnlyDatabase {
  /** Runs one statement that changes the file. Everything else only reads it. */
  change(work: (tx: Tx) => Promise<void>): Promise<void>
}

/**
 * Opens an existing file to read it and keeps all other processes out until it is closed. The file must have no changes
 * in a write-ahead log: closing would move them into it. The connection is writable because only then can it hold the
 * lock, but outside of `change` it refuses every change.
 */
export function openSqliteAlone(path: string): LockedFile {
  const client = lockedClient(path)
  const reading = connectionTo(client)
  const guard = new ScopeGuard()
  return {
    engine: 'sqlite',
    read: (work) => guard.run(() => work(reading)),
    change: (work) =>
      guard.run(async () => {
        client.pragma('query_only = OFF')
        await work(reading).finally(() => client.pragma('query_only = ON'))
      }),
    async close() {
      client.close()
    },
  }
}

function lockedClient(path: string): Sqlite.Database {
  let client: Sqlite.Database | undefined
  try {
    client = new Sqlite(path, { fileMustExist: true, timeout: 0 })
    client.pragma('locking_mode = EXCLUSIVE')
    client.pragma('query_only = ON')
    client.pragma('synchronous = FULL')
    // Takes the lock: every process that has opened the file holds a shared one as long as it has it open.
    client.pragma('schema_version')
    client.pragma('cache_size = -65536')
    return client
  } catch (error) {
    client?.close()
    if (isLocked(error)) throw new FileInUse(`${path} is open in another process`, { cause: error })
    throw translated(error, 'opened')
  }
}

/** A connection that only reads a file. */
class Reader {
  readonly #client: Sqlite.Database
  readonly #reading: Tx
  readonly #lockWait: LockWait

  constructor(path: string, lockWaitMs: number) {
    this.#client = openClient(path, { readonly: true, lockWaitMs })
    this.#reading = connectionTo(this.#client)
    this.#lockWait = new LockWait(lockWaitMs)
  }

  async read<T>(work: Work<T>): Promise<T> {
    if (!this.#client.open) throw closed()
    try {
      return await this.#lockWait.run(() => work(this.#reading))
    } catch (error) {
      throw translated(error, 'read')
    }
  }

  close(): void {
    this.#client.close()
  }
}

/** Creates the file readable by its owner only, because it holds secrets. SQLite gives its log the same mode. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Counts as unavailable, not as a bug: other processes may continue the work. */
function closed(): StoreUnavailable {
  return new StoreUnavailable('the store is closed')
}

/**
 * A read-only connection that closes last leaves an empty log and its index behind. Opening and closing a writable
 * connection makes SQLite remove them, unless another process has opened the file meanwhile.
 */
function removeEmptyLog(path: string): void {
  try {
    const client = new Sqlite(path, { fileMustExist: true, timeout: 0 })
    client.pragma('schema_version')
    client.close()
  } catch {
    // The files are empty, and the next process to open the database reuses them.
  }
}
