import type { Tx } from '../database.ts'

/**
 * Fixed statistics for SQLite's planner on the indexes of `messages` and `callbacks`: total rows, then rows per longer
 * prefix of the key. Without statistics it may choose a wallet's time range over its sender and status, or all
 * callbacks of a wallet over those of one message. With gathered ones, plans would change as the database grows.
 */
const STATISTICS: readonly [table: string, index: string, rows: string][] = [
  ['messages', 'sqlite_autoindex_messages_1', '1000000 1'],
  ['messages', 'messages_by_time', '1000000 100000 2'],
  ['messages', 'messages_not_by_api', '10000 1000 2'],
  ['messages', 'messages_open', '10000 1000 2'],
  ['messages', 'messages_scheduled', '10000 5000 2'],
  ['messages', 'messages_by_sender', '990000 2000 2'],
  ['messages', 'messages_by_reference', '900000 90000 5 2 1'],
  ['messages', 'messages_by_recipient', '990000 10 2'],
  ['messages', 'messages_by_carrier_ref', '990000 1'],
  ['callbacks', 'sqlite_autoindex_callbacks_1', '1000000 1'],
  ['callbacks', 'callbacks_message', '1000000 1'],
  ['callbacks', 'callbacks_wallet', '1000000 100000 1'],
  ['callbacks', 'callbacks_state', '1000000 100000 10000 1'],
]

/** Stores the statistics. They apply to this connection at once and to connections opened later. */
export async function fixStatistics({ run }: Tx): Promise<void> {
  await run('ANALYZE sqlite_schema', [])
  await run('DELETE FROM sqlite_stat1', [])
  for (const [table, index, rows] of STATISTICS) {
    await run('INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ($1, $2, $3)', [table, index, rows])
  }
  await run('ANALYZE sqlite_schema', [])
}
