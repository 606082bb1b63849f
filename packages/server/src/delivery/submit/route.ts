import { FAILURES } from '../../domain/failure-reasons.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/outbox.ts'
import { all } from '../../platform/jobs/queue.ts'
import type { Choice } from './choice.ts'
import { withMessages } from './dispatch.ts'
import { type Decision, decided, expired, step } from './steps.ts'

export interface RouteOptions {
  database: Database
  clock: Clock
  choice: Pick<Choice, 'ways'>
  store(decision: Decision): Promise<void>
}

/** Chooses the carrier of messages that have none yet: released ones, and those of carriers that were removed. */
export function createRoute({ database, clock, choice, store }: RouteOptions) {
  return async function route(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    const outgoing = await withMessages(database, jobs)
    await all(
      outgoing.map(async ({ job, message }) => {
        const [lane] = choice.ways(message)
        const now = clock.now()
        await store(
          now >= job.expiresAt
            ? expired(job, FAILURES.neverSubmitted)
            : lane === undefined
              ? { ending: decided(job, 'rejected', FAILURES.noCarrier) }
              : {
                  step: step(job, {
                    kind: 'dispatch',
                    lane,
                    runAt: now,
                    lapsed: job.lapsed,
                    carrierRef: null,
                  }),
                },
        )
        done(job)
      }),
    )
  }
}
