import Sqlite from 'better-sqlite3'
import type { ReadOnlyDatabase, Tx } from '../database.ts'
import { createScopeGuard } from '../scope-guard.ts'
import { connectionTo, isLocked, translated } from './connection.ts'

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
  const guarded = createScopeGuard()
  return {
    engine: 'sqlite',
    read: (work) => guarded(() => work(reading)),
    change: (work) =>
      guarded(async () => {
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
