import { type EpochMs, firstTicketAt } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { inChunks, placeholders } from '../platform/database/rows.ts'
import { SLICE, SLICE_OF_INDEXED } from '../platform/database/slices.ts'
import { removeJobs } from '../platform/jobs/outbox.ts'

/**
 * Deletes a slice of a wallet's callbacks after an id, with their attempts and jobs. Returns the last id; undefined when
 * there are no more. Without the id, each slice would look through all rows that the slices before it deleted.
 */
export async function forgetCallbacks(tx: Tx, walletId: string, after: string): Promise<string | undefined> {
  const { run, locks } = tx
  const rows = await run<{ id: string }>(
    `SELECT id FROM callbacks WHERE wallet_id = $1 AND id > $2 ORDER BY id LIMIT ${SLICE} ${locks.forUpdate}`,
    [walletId, after],
  )
  const ids = rows.map(({ id }) => id)
  await deleteCallbacks(tx, ids)
  return ids.at(-1)
}

/**
 * Deletes a slice of the callbacks made before a time that were delivered or given up, after an id. Returns the last id;
 * undefined when there are no more.
 */
export async function forgetOldCallbacks(
  tx: Tx,
  before: EpochMs,
  after: string,
): Promise<string | undefined> {
  const rows = await tx.run<{ id: string }>(
    `SELECT id FROM callbacks WHERE id > $1 AND id < $2 AND state <> 'pending'
     ORDER BY id LIMIT ${SLICE_OF_INDEXED} ${tx.locks.skipLocked}`,
    [after, firstTicketAt(before)],
  )
  const ids = rows.map(({ id }) => id)
  await deleteCallbacks(tx, ids)
  return ids.at(-1)
}

/** Deletes the callbacks about some messages, of which they could no longer tell. Returns how many there were. */
export async function forgetCallbacksAbout(tx: Tx, tickets: readonly string[]): Promise<number> {
  const { run, locks } = tx
  let deleted = 0
  await inChunks(tickets, async (chunk) => {
    const rows = await run<{ id: string }>(
      `SELECT id FROM callbacks WHERE message_id IN ${placeholders(1, chunk.length)} ${locks.forUpdate}`,
      chunk,
    )
    await deleteCallbacks(
      tx,
      rows.map(({ id }) => id),
    )
    deleted += rows.length
  })
  return deleted
}

async function deleteCallbacks(tx: Tx, ids: readonly string[]): Promise<void> {
  await removeJobs(tx, ids)
  await inChunks(ids, async (chunk) => {
    await tx.run(`DELETE FROM callback_attempts WHERE callback_id IN ${placeholders(1, chunk.length)}`, chunk)
    await tx.run(`DELETE FROM callbacks WHERE id IN ${placeholders(1, chunk.length)}`, chunk)
  })
}
