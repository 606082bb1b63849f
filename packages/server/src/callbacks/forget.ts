import type { Tx } from '../platform/database/database.ts'
import { inChunks, placeholders } from '../platform/database/rows.ts'
import { SLICE } from '../platform/database/slices.ts'
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

/** Deletes the callbacks about some messages, which are to be deleted in the same transaction. */
export async function forgetCallbacksAbout(tx: Tx, tickets: readonly string[]): Promise<void> {
  const { run, locks } = tx
  await inChunks(tickets, async (chunk) => {
    const rows = await run<{ id: string }>(
      `SELECT id FROM callbacks WHERE message_id IN ${placeholders(1, chunk.length)} ${locks.forUpdate}`,
      chunk,
    )
    await deleteCallbacks(
      tx,
      rows.map(({ id }) => id),
    )
  })
}

async function deleteCallbacks(tx: Tx, ids: readonly string[]): Promise<void> {
  await removeJobs(tx, ids)
  await inChunks(ids, async (chunk) => {
    await tx.run(`DELETE FROM callback_attempts WHERE callback_id IN ${placeholders(1, chunk.length)}`, chunk)
    await tx.run(`DELETE FROM callbacks WHERE id IN ${placeholders(1, chunk.length)}`, chunk)
  })
}
