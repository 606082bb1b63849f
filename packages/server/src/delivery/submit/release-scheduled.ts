import { addToTotals, countSent, markDue } from '../../messages/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Job, reschedule } from '../../platform/jobs/outbox.ts'

export interface ReleaseOptions {
  database: Database
  clock: Clock
  /** Called after a commit when messages wait to be dispatched, with the wallets of those that are pending now. */
  onReleased(walletIds: ReadonlySet<string>): void
}

/**
 * Makes scheduled messages pending when their time has come. A cancellation races with this for the job; the later one
 * finds nothing to do. Every claimed job moves on to dispatch: if its message is no longer scheduled, either the
 * cancellation removed the job, or an earlier claim released the message and lapsed before its job was moved.
 */
export function createReleaseScheduled({ database, clock, onReleased }: ReleaseOptions) {
  return async function releaseScheduled(jobs: readonly Job[]): Promise<void> {
    const due = await database.write(
      async (tx) => {
        const now = clock.now()
        await reschedule(
          tx,
          jobs.map((job) => ({ ...job, kind: 'dispatch', lane: '', runAt: now, attempts: 0, lapsed: false })),
        )
        const released = await markDue(
          tx,
          jobs.map(({ id }) => id),
          now,
        )
        await addToTotals(tx, released.map(countSent))
        return released
      },
      { patient: true },
    )
    onReleased(new Set(due.map(({ walletId }) => walletId)))
  }
}
