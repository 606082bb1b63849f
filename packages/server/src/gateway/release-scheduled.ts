import type { Clock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { markDue } from '../store/messages.ts'
import { type Job, removeJobs, reschedule } from '../store/outbox.ts'
import { addToTotals, countSent } from '../store/totals.ts'

export interface ReleaseOptions {
  database: Database
  clock: Clock
  /** Told after a commit that messages wait to be dispatched. */
  onReleased(): void
}

/**
 * Makes scheduled messages pending when their time has come. A cancellation and this race for one conditional
 * update of the message: whoever is second finds nothing to do.
 */
export function createReleaseScheduled({ database, clock, onReleased }: ReleaseOptions) {
  return async function releaseScheduled(jobs: readonly Job[]): Promise<void> {
    await database.write(
      async (connection) => {
        const now = clock.now()
        const due = await markDue(
          connection,
          jobs.map(({ id }) => id),
          now,
        )
        await addToTotals(connection, due.map(countSent))
        const dueIds = new Set<string>(due.map(({ id }) => id))
        const [released, gone] = [
          jobs.filter(({ id }) => dueIds.has(id)),
          jobs.filter(({ id }) => !dueIds.has(id)),
        ]
        await removeJobs(
          connection,
          gone.map(({ id }) => id),
        )
        await reschedule(
          connection,
          released.map((job) => ({ ...job, kind: 'dispatch', runAt: now, attempts: 0, lapsed: false })),
        )
      },
      { patient: true },
    )
    onReleased()
  }
}
