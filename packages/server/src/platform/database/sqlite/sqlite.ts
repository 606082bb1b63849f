import { closeSync, existsSync, openSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { isHeld } from '../../event-loop.ts'
import {
  type Database,
  type ReadOnlyDatabase,
  StoreUnavailable,
  type Tx,
  type WriteOptions,
} from '../database.ts'
import { createLockWait } from '../lock-wait.ts'
import { createScopeGuard } from '../scope-guard.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createCommitQueue } from './commit-together.ts'
import { codeOf, connectionTo, isDiskFailure, isLocked, openClient, translated } from './connection.ts'
import { GatewayLock } from './gateway-lock.ts'

/** How long patient work waits to share a flush. */
const PATIENCE_MS = 5
/** How long work waits for a file that another process has locked. */
const LOCK_WAIT_MS = 5_000

export interface SqliteOptions {
  /** A file's path, or `:memory:`. */
  path: string
  /** What a database in memory begins with. */
  image?: Buffer | undefined
  /**
   * Called when a flush failed. The state on disk is then unknown, and a second flush may report success for lost data:
   * the process must exit and recover from the log at its next start.
   */
  onFatal(error: Error): void
  /** How long work waits for a file that another process has locked. Default: 5 s. */
  lockWaitMs?: number | undefined
}

export interface SqliteDatabase extends Database {
  /** All that was committed, as bytes. */
  image(): Buffer
}

/** Opens an SQLite database to read and write. Creates a missing file. */
export function openSqlite(options: SqliteOptions): SqliteDatabase {
  const { path, image, onFatal, lockWaitMs = LOCK_WAIT_MS } = options
  const inMemory = path === ':memory:'
  if (!inMemory) makeFile(path)
  const writer = openClient(inMemory && image ? image : path, { readonly: false, lockWaitMs })
  // An in-memory database has only one connection, so reads queue with the writes.
  const reader = inMemory ? undefined : openReader(path, lockWaitMs)
  const connection = connectionTo(writer)
  let lock: GatewayLock | undefined
  /** Whether the transaction takes more than a slice. */
  let isLong = false
  async function rest(): Promise<void> {
    isLong = true
    await new Promise(setImmediate)
  }
  /** A long transaction lets the event loop go on after each slice. Other writes wait meanwhile, reads of a file do not. */
  const writing: Tx = {
    ...connection,
    async run(text, values) {
      if (isHeld()) await rest()
      return connection.run(text, values)
    },
  }
  const guarded = createScopeGuard()
  const step = (text: string) => {
    const statement = writer.prepare(text)
    return () => void statement.run()
  }
  const begin = step('BEGIN IMMEDIATE')
  const commitNow = step('COMMIT')
  const checkpoints = inMemory ? undefined : createCheckpoints({ path, writer, onFatal })
  const whenUnlocked = createLockWait(isLocked, lockWaitMs)
  const queue = createCommitQueue(
    {
      async begin() {
        if (isHeld()) await rest()
        await whenUnlocked(begin)
        isLong = false
      },
      // Never waits: with a write-ahead log, BEGIN IMMEDIATE already holds the only lock needed.
      async commit() {
        if (isLong) await rest()
        commitNow()
        checkpoints?.committed()
      },
      rollback: step('ROLLBACK'),
      savepoint: step('SAVEPOINT work'),
      rollbackToSavepoint: step('ROLLBACK TO work'),
      release: step('RELEASE work'),
      open: () => writer.inTransaction,
    },
    // An in-memory database has no flush to share.
    inMemory ? 0 : PATIENCE_MS,
  )

  async function commit<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    if (!writer.open) throw closed()
    try {
      return await queue.add(() => work(writing), options)
    } catch (error) {
      if (error instanceof Error && isDiskFailure(codeOf(error))) onFatal(error)
      throw translated(error, 'written')
    }
  }

  return {
    engine: 'sqlite',
    writesAtOnce: 1,
    read: (work) => guarded(() => (reader ? reader.read(work) : commit(work))),
    write: (work, options) => guarded(() => commit(work, options)),
    image: () => writer.serialize(),
    keepForOneGateway() {
      if (!inMemory) lock ??= new GatewayLock(path)
    },
    // No checkpoint here: it would block other writers. SQLite makes one when the last connection closes.
    async close() {
      await queue.drained()
      await checkpoints?.close()
      reader?.close()
      writer.close()
      lock?.release()
    },
  }
}

/** Opens an existing file read-only. Leaves no new files behind. */
export function openSqliteToRead(path: string, lockWaitMs = LOCK_WAIT_MS): ReadOnlyDatabase {
  const untouched = !existsSync(`${path}-wal`)
  const reader = openReader(path, lockWaitMs)
  const guarded = createScopeGuard()
  return {
    engine: 'sqlite',
    read: (work) => guarded(() => reader.read(work)),
    async close() {
      reader.close()
      if (untouched) removeEmptyLog(path)
    },
  }
}

type Work<T> = (tx: Tx) => Promise<T>

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

function openReader(path: string, lockWaitMs: number) {
  const client = openClient(path, { readonly: true, lockWaitMs })
  const reading = connectionTo(client)
  const whenUnlocked = createLockWait(isLocked, lockWaitMs)
  return {
    async read<T>(work: Work<T>): Promise<T> {
      if (!client.open) throw closed()
      try {
        return await whenUnlocked(() => work(reading))
      } catch (error) {
        throw translated(error, 'read')
      }
    },
    close: () => client.close(),
  }
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
