import { MINUTE_MS } from '../kernel/time/spans.ts'
import type { Database } from './database.ts'
import { fileOf, type OpenOptions, openDatabase } from './open.ts'
import { openClient, translated } from './sqlite/connection.ts'

/** From now on this handle overwrites what it deletes, where the engine leaves deleted bytes in the file. */
export async function overwriteDeleted(database: Database): Promise<void> {
  if (database.engine === 'sqlite') await database.write(({ run }) => run('PRAGMA secure_delete = ON', []))
}

/**
 * Takes deleted bytes out of the files: rewrites an SQLite file, for which its writers wait, and lets PostgreSQL clear
 * its pages, for which none waits. Open no other handle on it in this process meanwhile.
 */
export async function clearDeleted(options: OpenOptions): Promise<void> {
  const path = fileOf(options.url)
  if (path !== undefined) return rewriteFile(path)
  const database = openDatabase(options)
  try {
    await database.read(({ run }) => run('VACUUM', []))
  } finally {
    await database.close()
  }
}

/** How long the rewriting waits for other writers, and for readers when it empties the log. */
const WAIT_MS = MINUTE_MS

/** Rewrites a database file without the bytes of deleted rows, and empties its log. */
function rewriteFile(path: string): void {
  const client = openClient(path, { readonly: false, lockWaitMs: WAIT_MS })
  try {
    client.pragma(`busy_timeout = ${WAIT_MS}`)
    client.exec('VACUUM')
    client.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    throw translated(error, 'written')
  } finally {
    client.close()
  }
}
