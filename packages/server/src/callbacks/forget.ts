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
  await removeJobs(tx, ids)
  await inChunks(ids, async (chunk) => {
    await run(`DELETE FROM callback_attempts WHERE callback_id IN ${placeholders(1, chunk.length)}`, chunk)
    await run(`DELETE FROM callbacks WHERE id IN ${placeholders(1, chunk.length)}`, chunk)
  })
  return ids.at(-1)
}
