import { openClient, translated } from './connection.ts'

/** How long the rewriting waits for other writers, and for readers when it empties the log. */
const WAIT_MS = 60_000

/** Rewrites a database file without the bytes of deleted rows, and empties its log. */
export function rewriteFile(path: string): void {
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
