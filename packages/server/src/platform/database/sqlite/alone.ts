import Sqlite from 'better-sqlite3'
import type { ReadOnlyDatabase } from '../database.ts'
import { createScopeGuard } from '../one-scope.ts'
import { connectionTo, isLocked, translated } from './connection.ts'

/** Another process has the file open. */
export class FileInUse extends Error {
  override readonly name = 'FileInUse'
}

/**
 * Opens an existing file to read it and keeps all other processes out until it is closed. The file must have no changes
 * in a write-ahead log: closing would move them into it. The connection is writable because only then can it hold the
 * lock, but it refuses every change.
 */
export function openSqliteAlone(path: string): ReadOnlyDatabase {
  const client = lockedClient(path)
  const reading = connectionTo(client)
  const guarded = createScopeGuard()
  return {
    engine: 'sqlite',
    read: (work) => guarded(() => work(reading)),
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
