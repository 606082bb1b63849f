import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/outbox.ts'
import type { Choice } from './choice.ts'
import { withMessages } from './dispatch.ts'
import { all, type Decision, decided, expired, step } from './steps.ts'

export interface RouteOptions {
  database: Database
  clock: Clock
  choice: Pick<Choice, 'ways'>
  settle(decision: Decision): Promise<void>
}

/** Chooses the carrier of messages that have none yet: released ones, and those of carriers that were removed. */
export function createRoute({ database, clock, choice, settle }: RouteOptions) {
  return async function route(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    const outgoing = await withMessages(database, jobs)
    await all(
      outgoing.map(async ({ job, message }) => {
        const [lane] = choice.ways(message)
        const now = clock.now()
        await settle(
          now >= job.expiresAt
            ? expired(job, 'Its validity ended before it could be submitted.')
            : lane === undefined
              ? { ending: decided(job, 'rejected', 'No carrier takes messages to this number.') }
              : {
                  step: step(job, {
                    kind: 'dispatch',
                    lane,
                    runAt: now,
                    lapsed: job.lapsed,
                    carrierRef: undefined,
                  }),
                },
        )
        done(job)
      }),
    )
  }
}
