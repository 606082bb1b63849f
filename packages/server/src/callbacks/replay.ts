import { enqueue } from '../flow/jobs/outbox.ts'
import type { EpochMs } from '../kernel/ids.ts'
import { utcDay } from '../kernel/time/spans.ts'
import type { Database, Tx } from '../store/database.ts'
import { inChunks, placeholders } from '../store/rows.ts'
import { deadIds, waitingIds } from './log-rows.ts'
import { callbackJob, lockCallbacks, type Replayable } from './rows.ts'

/** Callbacks queued again per transaction, so that other work gets its turn in between. */
const REPLAY_SLICE = 500

/** Callbacks to replay: those given up (`dead`), or those that wait for a later attempt (`pending`). */
export type ReplayedState = 'dead' | 'pending'

interface ReplaySince {
  since: EpochMs
  /** Both when left out. */
  state?: ReplayedState | undefined
  now: EpochMs
  /** Called after each commit that queued some. */
  onCallbacks(walletId: string): void
}

export type Replayed = Pick<Requeued, 'replayed' | 'skipped'>

/** Waiting callbacks first: a dead one, once queued, may fail and wait, and would be replayed twice. */
const REQUEUE = { pending: requeueWaiting, dead: requeueDead } as const

/**
 * Has a wallet's callbacks created since a time posted again at once: those that were given up, and those that wait for
 * a later attempt. Skips those that were posted again as often as they may be today.
 */
export async function replaySince(
  database: Database,
  walletId: string,
  { since, state, now, onCallbacks }: ReplaySince,
): Promise<Replayed> {
  const total: Replayed = { replayed: 0, skipped: 0 }
  for (const requeue of state ? [REQUEUE[state]] : Object.values(REQUEUE)) {
    let after: string | undefined = ''
    while (after !== undefined) {
      const slice: RequeueSlice = { since, after, limit: REPLAY_SLICE, now }
      const { replayed, skipped, last }: Requeued = await database.write((tx) => requeue(tx, walletId, slice))
      total.replayed += replayed
      total.skipped += skipped
      after = last
      if (replayed > 0) onCallbacks(walletId)
      await new Promise(setImmediate)
    }
  }
  return total
}

/** A callback is posted again by hand at most this often on a day in UTC: each time is a new plan of attempts. */
export const MOST_REPLAYS = 10

/** Whether a callback was posted again as often as it may be on a day. */
export function isSpent(
  { replayDay, replays }: Pick<Replayable, 'replayDay' | 'replays'>,
  now: EpochMs,
): boolean {
  // A clock that goes back does not begin a new day.
  return replayDay >= utcDay(now) && replays >= MOST_REPLAYS
}

/**
 * Queues a callback to be posted again at once, with the same id and bytes and a fresh plan of attempts. An attempt
 * that is under way loses its claim, so its result does not undo the replay.
 */
export async function requeueCallback(
  tx: Tx,
  id: string,
  now: EpochMs,
): Promise<'queued' | 'gone' | 'spent'> {
  const found = (await lockCallbacks(tx, [id])).get(id)
  // A job without a callback would never end.
  if (!found) return 'gone'
  if (isSpent(found, now)) return 'spent'
  await countReplays(tx, [id], now)
  await tx.run(
    `INSERT INTO outbox (id, kind, owner, run_at) VALUES ($1, 'callback', $2, $3)
     ON CONFLICT (id) DO UPDATE SET run_at = excluded.run_at, attempts = 0, faults = 0, lease_until = 0,
       epoch = outbox.epoch + 1`,
    [id, found.accountId, now],
  )
  return 'queued'
}

/** Which of a wallet's callbacks to queue again: the next ones after an id, created since a time. */
interface RequeueSlice {
  since: EpochMs
  after: string
  limit: number
  now: EpochMs
}

/** The result of a slice. */
interface Requeued {
  replayed: number
  /** Callbacks left alone because they were replayed as often as allowed today. */
  skipped: number
  /** The last id that was looked at; undefined when there are no more. */
  last: string | undefined
}

/** Queues dead callbacks. A callback that dies meanwhile is left to the next call. */
async function requeueDead(tx: Tx, walletId: string, slice: RequeueSlice): Promise<Requeued> {
  const { limit, now } = slice
  const ids = await deadIds(tx, walletId, slice)
  const { free, skipped } = await lockToReplay(tx, ids, { state: 'dead', now })
  await countReplays(tx, idsOf(free), now)
  await enqueue(
    tx,
    free.map((callback) => callbackJob(callback, now)),
  )
  return { replayed: free.length, skipped, last: ids.length === limit ? ids.at(-1) : undefined }
}

/** Makes callbacks that wait for a later attempt due now, with a fresh plan. Skips those due or under way. */
async function requeueWaiting(tx: Tx, walletId: string, slice: RequeueSlice): Promise<Requeued> {
  const { limit, now } = slice
  const ids = await waitingIds(tx, walletId, slice)
  const { free, skipped } = await lockToReplay(tx, ids, { state: 'pending', now })
  const queued: string[] = []
  await inChunks(idsOf(free), async (chunk) => {
    // Asked again: another process may have claimed one since.
    const rows = await tx.run<{ id: string }>(
      `UPDATE outbox SET run_at = $1, attempts = 0, faults = 0, lease_until = 0, epoch = epoch + 1
       WHERE run_at > $2 AND lease_until <= $3 AND id IN ${placeholders(1, chunk.length, undefined, 3)}
       RETURNING id`,
      [now, now, now, ...chunk],
    )
    queued.push(...rows.map(({ id }) => id))
  })
  await countReplays(tx, queued, now)
  return { replayed: queued.length, skipped, last: ids.length === limit ? ids.at(-1) : undefined }
}

/** Locks those of the callbacks that are still in a state; of them, `free` may be posted again today. */
async function lockToReplay(
  tx: Tx,
  ids: readonly string[],
  { state, now }: { state: Replayable['state']; now: EpochMs },
): Promise<{ free: Replayable[]; skipped: number }> {
  const found = [...(await lockCallbacks(tx, ids)).values()].filter((callback) => callback.state === state)
  const free = found.filter((callback) => !isSpent(callback, now))
  return { free, skipped: found.length - free.length }
}

const idsOf = (callbacks: readonly Replayable[]) => callbacks.map(({ id }) => id)

/** Counts a replay of each of the locked callbacks, which are pending from here on. */
async function countReplays({ run }: Tx, ids: readonly string[], now: EpochMs): Promise<void> {
  const today = utcDay(now)
  await inChunks(ids, async (chunk) => {
    await run(
      `UPDATE callbacks SET state = 'pending', replays = CASE WHEN replay_day >= $1 THEN replays + 1 ELSE 1 END,
         replay_day = CASE WHEN replay_day > $2 THEN replay_day ELSE $3 END
       WHERE id IN ${placeholders(1, chunk.length, undefined, 3)}`,
      [today, today, today, ...chunk],
    )
  })
}
