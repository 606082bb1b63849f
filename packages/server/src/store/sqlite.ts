import { closeSync, existsSync, openSync } from 'node:fs'
import Sqlite from 'better-sqlite3'
import { createCheckpoints } from './checkpoints.ts'
import { createCommitQueue } from './commit-together.ts'
import {
  type Connection,
  type Database,
  type ReadOnlyDatabase,
  StoreUnavailable,
  type WriteOptions,
} from './database.ts'
import { createLockWait } from './lock-wait.ts'
import { createScopeGuard } from './one-scope.ts'
import { codeOf, connectionTo, isLocked, openClient, translated } from './sqlite-connection.ts'

/** How long patient work waits for a flush to ride along with. */
const PATIENCE_MS = 5
/** How long work waits for a file that another process keeps locked. */
const LOCK_WAIT_MS = 5_000

export interface SqliteOptions {
  /** A file's path, or `:memory:`. */
  path: string
  /**
   * Told when a flush failed. What the disk holds is then unknown, and asking again may well answer "done" for
   * what was lost: the process must end and recover from the log at its next start.
   */
  onFatal(error: Error): void
  /** How long work waits for a file that another process keeps locked; 5 s when left out. */
  lockWaitMs?: number | undefined
}

export function openSqlite({ path, onFatal, lockWaitMs = LOCK_WAIT_MS }: SqliteOptions): Database {
  const inMemory = path === ':memory:'
  if (!inMemory) makeFile(path)
  const writer = openClient(path, { readonly: false, lockWaitMs })
  // In memory there is only one connection, so a read waits its turn among the writes.
  const reader = inMemory ? undefined : openReader(path, lockWaitMs)
  const writing = connectionTo(writer)
  const guarded = createScopeGuard()
  const step = (text: string) => {
    const statement = writer.prepare(text)
    return () => void statement.run()
  }
  const begin = step('BEGIN IMMEDIATE')
  const commitNow = step('COMMIT')
  const checkpoints = inMemory ? undefined : createCheckpoints(path)
  const whenUnlocked = createLockWait(isLocked, lockWaitMs)
  const queue = createCommitQueue(
    {
      begin: () => whenUnlocked(begin),
      // Waits for no lock: with a write-ahead log, BEGIN IMMEDIATE has taken the only one that it needs.
      commit() {
        commitNow()
        checkpoints?.committed()
      },
      rollback: step('ROLLBACK'),
      savepoint: step('SAVEPOINT work'),
      rollbackToSavepoint: step('ROLLBACK TO work'),
      release: step('RELEASE work'),
      open: () => writer.inTransaction,
    },
    // In memory there is no flush to share.
    inMemory ? 0 : PATIENCE_MS,
  )

  async function commit<T>(work: Work<T>, { patient = false }: WriteOptions = {}): Promise<T> {
    if (!writer.open) throw closed()
    try {
      return await queue.add(() => work(writing), patient)
    } catch (error) {
      if (error instanceof Error && codeOf(error).startsWith('SQLITE_IOERR')) onFatal(error)
      throw translated(error, 'written')
    }
  }

  return {
    engine: 'sqlite',
    writesAtOnce: 1,
    read: (work) => guarded(() => (reader ? reader.read(work) : commit(work))),
    write: (work, options) => guarded(() => commit(work, options)),
    // No checkpoint here: it would hold up the writes of others. SQLite makes one when the last connection closes.
    async close() {
      await queue.drained()
      await checkpoints?.close()
      reader?.close()
      writer.close()
    },
  }
}

/** Opens a file to look at it. It has to be there, and nothing is made beside it that stays. */
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

type Work<T> = (connection: Connection) => Promise<T>

/** The database holds secrets, so only its owner may read it. SQLite gives its log the same permissions. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

/** Not a fault of what is asked: other processes go on with it. */
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
 * A reader that was alone leaves an empty log and its index behind. SQLite itself takes them away when a connection
 * that may write is the last to close; when another process has come meanwhile, it leaves them alone.
 */
function removeEmptyLog(path: string): void {
  try {
    const client = new Sqlite(path, { fileMustExist: true, timeout: 0 })
    client.pragma('schema_version')
    client.close()
  } catch {
    // They are empty, and the next to open the file uses them.
  }
}
