import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { inChunks, placeholders } from '../platform/database/rows.ts'
import { enqueue } from '../platform/jobs/outbox.ts'
import { waitingIds } from './log-rows.ts'
import { callbackJob } from './rows.ts'

/**
 * Queues a callback to be posted again at once, with the same id and bytes and a fresh plan of attempts. An attempt
 * that is under way loses its claim, so its result does not undo the replay.
 */
export async function requeueCallback({ run }: Tx, id: string, now: EpochMs): Promise<void> {
  await run("UPDATE callbacks SET state = 'pending' WHERE id = $1", [id])
  await run(
    `INSERT INTO outbox (id, kind, run_at) VALUES ($1, 'callback', $2)
     ON CONFLICT (id) DO UPDATE SET run_at = excluded.run_at, attempts = 0, faults = 0, lease_until = 0,
       epoch = outbox.epoch + 1`,
    [id, now],
  )
}

/** Which of a wallet's callbacks to queue again: the next ones after an id, created since a time. */
export interface RequeueSlice {
  since: EpochMs
  after: string
  limit: number
  now: EpochMs
}

/** What a slice has queued. `last` is the last id that was looked at; undefined when there are no more. */
export interface Requeued {
  count: number
  last: string | undefined
}

/** Queues dead callbacks. One that dies in the meantime is left for the next call. */
export async function requeueDead(
  tx: Tx,
  walletId: string,
  { since, after, limit, now }: RequeueSlice,
): Promise<Requeued> {
  const rows = await tx.run<{ id: string }>(
    `UPDATE callbacks SET state = 'pending' WHERE state = 'dead' AND id IN (
       SELECT id FROM callbacks WHERE wallet_id = $1 AND state = 'dead' AND id > $2 AND created_at >= $3
       ORDER BY id LIMIT $4)
     RETURNING id`,
    [walletId, after, since, limit],
  )
  const ids = rows.map(({ id }) => id).sort()
  await enqueue(
    tx,
    ids.map((id) => callbackJob(id, now)),
  )
  return { count: ids.length, last: ids.length === limit ? ids.at(-1) : undefined }
}

/** Lets callbacks that wait for a later attempt go at once, with a fresh plan. Those that are due or under way stay. */
export async function requeueWaiting(
  tx: Tx,
  walletId: string,
  { since, after, limit, now }: RequeueSlice,
): Promise<Requeued> {
  const ids = await waitingIds(tx, walletId, { since, after, limit, now })
  let count = 0
  await inChunks(ids, async (chunk) => {
    // Asked again: another process may have claimed one since.
    const queued = await tx.run(
      `UPDATE outbox SET run_at = $1, attempts = 0, faults = 0, lease_until = 0, epoch = epoch + 1
       WHERE run_at > $2 AND lease_until <= $3 AND id IN ${placeholders(1, chunk.length, undefined, 3)}
       RETURNING id`,
      [now, now, now, ...chunk],
    )
    count += queued.length
  })
  return { count, last: ids.length === limit ? ids.at(-1) : undefined }
}
