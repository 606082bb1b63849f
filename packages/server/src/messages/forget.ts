import { type Micros, micros } from '@wigwag/contract'
import type { Ticket } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { inChunks, placeholders } from '../platform/database/rows.ts'
import { deleteSlice, SLICE } from '../platform/database/slices.ts'
import { removeJobs } from '../platform/jobs/outbox.ts'

/**
 * Deletes a slice of a wallet's open messages, with their jobs. Returns what was held for them, and whether there may be
 * more. A message that becomes final at this moment is left to the one that removes its job.
 */
export async function forgetOpen(tx: Tx, walletId: string): Promise<{ held: Micros; more: boolean }> {
  const open = await tx.run<{ id: Ticket }>(
    `SELECT id FROM messages WHERE wallet_id = $1 AND sender_key IS NULL ORDER BY created_at LIMIT ${SLICE}`,
    [walletId],
  )
  const removed = await removeJobs(
    tx,
    open.map(({ id }) => id),
  )
  const deleted = await deleteMessages(tx, [...removed.keys()])
  return {
    held: micros(deleted.reduce((sum, { price }) => sum + price, 0)),
    more: open.length === SLICE && removed.size > 0,
  }
}

/**
 * Deletes a slice of a wallet's final messages from a time on. Returns their tickets, and the time of the last; undefined
 * when there are no more. Without the time, each slice would look through all rows that the slices before it deleted.
 */
export async function forgetFinal(
  tx: Tx,
  walletId: string,
  from: number,
): Promise<{ tickets: Ticket[]; last: number | undefined }> {
  const final = await tx.run<{ id: Ticket; at: number }>(
    `SELECT id, created_at AS at FROM messages
     WHERE wallet_id = $1 AND created_at >= $2 AND sender_key IS NOT NULL ORDER BY created_at LIMIT ${SLICE}`,
    [walletId, from],
  )
  const tickets = final.map(({ id }) => id)
  await deleteMessages(tx, tickets)
  return { tickets, last: final.at(-1)?.at }
}

/** Deletes a slice of a wallet's running totals. Returns whether there may be more. */
export function forgetTotals(tx: Tx, walletId: string): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'hourly_totals',
    key: 'wallet_id, hour, country, network',
    where: 'wallet_id = $1',
    values: [walletId],
    orderBy: 'hour',
  })
}

async function deleteMessages({ run }: Tx, ids: readonly string[]): Promise<{ price: Micros }[]> {
  const deleted: { price: Micros }[] = []
  await inChunks(ids, async (chunk) => {
    const rows = await run<{ price: Micros }>(
      `DELETE FROM messages WHERE id IN ${placeholders(1, chunk.length)} RETURNING price`,
      chunk,
    )
    deleted.push(...rows)
  })
  return deleted
}
