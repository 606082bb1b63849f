import type { Connection } from './database.ts'

/**
 * What SQLite's planner is told of the indexes of `messages` and `callbacks`: rows in all, then rows for each longer
 * prefix of the key. Without statistics it may prefer a range of the wallet's times to the wallet's sender and
 * status, and a wallet's callbacks to those of one message; with gathered ones its plans would change as a database
 * grows. These say which is the narrower, and stay the same.
 */
const STATISTICS: readonly [table: string, index: string, rows: string][] = [
  ['messages', 'sqlite_autoindex_messages_1', '1000000 1'],
  ['messages', 'messages_by_time', '1000000 100000 2'],
  ['messages', 'messages_open', '10000 1000 2'],
  ['messages', 'messages_scheduled', '10000 5000 2'],
  ['messages', 'messages_by_sender', '990000 2000 2'],
  ['messages', 'messages_by_recipient', '990000 10 2'],
  ['callbacks', 'sqlite_autoindex_callbacks_1', '1000000 1'],
  ['callbacks', 'callbacks_message', '1000000 1'],
  ['callbacks', 'callbacks_wallet', '1000000 100000 1'],
  ['callbacks', 'callbacks_state', '1000000 100000 10000 1'],
]

/** Takes effect on connections that are opened later, and on this one at once. */
export async function fixStatistics({ run }: Connection): Promise<void> {
  await run('ANALYZE sqlite_schema', [])
  await run('DELETE FROM sqlite_stat1', [])
  for (const [table, index, rows] of STATISTICS) {
    await run('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)', [table, index, rows])
  }
  await run('ANALYZE sqlite_schema', [])
}
