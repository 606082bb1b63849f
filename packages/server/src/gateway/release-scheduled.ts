import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { markDue } from '../store/messages.ts'
import { type Job, reschedule } from '../store/outbox.ts'
import { addToTotals, countSent } from '../store/totals.ts'

export interface ReleaseOptions {
  database: Database
  clock: Clock
  /** Told after a commit that messages wait to be dispatched. */
  onReleased(): void
}

/**
 * Makes scheduled messages pending when their time has come. A cancellation and this race for the job: the second
 * finds nothing to do. Every claimed job goes on to dispatch: one whose message is no longer scheduled was either
 * removed by the cancellation, or released by a claim that lapsed before it could say so.
 */
export function createReleaseScheduled({ database, clock, onReleased }: ReleaseOptions) {
  return async function releaseScheduled(jobs: readonly Job[]): Promise<void> {
    await database.write(
      async (connection) => {
        const now = clock.now()
        await reschedule(
          connection,
          jobs.map((job) => ({ ...job, kind: 'dispatch', runAt: now, attempts: 0, lapsed: false })),
        )
        const due = await markDue(
          connection,
          jobs.map(({ id }) => id),
          now,
        )
        await addToTotals(connection, due.map(countSent))
      },
      { patient: true },
    )
    onReleased()
  }
}
