import type { EpochMs } from '../../domain/ids.ts'
import type { Tx } from '../database/database.ts'
import { inChunks, insertRows, placeholders } from '../database/rows.ts'
import type { Tables } from '../database/schema.ts'
import { deleteSlice } from '../database/slices.ts'

export type KeptTrace = Tables['traces']['$inferSelect']

export function keepTraces(tx: Tx, rows: readonly KeptTrace[]): Promise<void> {
  return insertRows(tx, tx.t.traces, rows)
}

/** Deletes a slice of those that nothing will be done for any more. */
export function pruneTraces(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'traces',
    key: 'message_id',
    where: 'ends_at < $1',
    values: [now],
    orderBy: 'ends_at',
  })
}

/** The kept parents of messages, by ticket. */
export async function tracesOf({ run }: Tx, tickets: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  await inChunks(tickets, async (chunk) => {
    const rows = await run<{ id: string; parent: string }>(
      `SELECT message_id AS id, parent FROM traces WHERE message_id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const { id, parent } of rows) found.set(id, parent)
  })
  return found
}
