import type { EpochMs } from '../domain/ids.ts'
import type { Database } from '../platform/database/database.ts'
import { type Requeued, type RequeueSlice, requeueDead, requeueWaiting } from './requeue.ts'

/** Callbacks queued again per transaction, so that other work gets its turn in between. */
const REPLAY_SLICE = 500

/** What a replay posts again: those that were given up, or those that wait for a later attempt. */
export type ReplayedState = 'dead' | 'pending'

export interface ReplaySince {
  since: EpochMs
  /** Both when left out. */
  state?: ReplayedState | undefined
  now: EpochMs
  /** Called after each commit that queued some. */
  onCallbacks(walletId: string): void
}

export type Replayed = Pick<Requeued, 'replayed' | 'skipped'>

/** In this order: what waits comes first, since what was given up is due at once after it was queued. */
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
