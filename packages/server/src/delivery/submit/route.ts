import { FAILURES } from '../../domain/failure-reasons.ts'
import type { OutgoingMessage } from '../../domain/message.ts'
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
  /** Whether every process has the same carriers and routes now. */
  agree(): Promise<boolean>
  store(decision: Decision): Promise<void>
}

/** How long a message without a carrier waits while a new file of carriers goes round. */
const DISAGREED_MS = 30_000

/** Chooses the carrier of messages that have none yet: released ones, and those of carriers that were removed. */
export function createRoute({ database, clock, choice, agree, store }: RouteOptions) {
  return async function route(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    const outgoing = await withMessages(database, jobs)
    await all(
      outgoing.map(async ({ job, message }) => {
        await store(await decide(job, message))
        done(job)
      }),
    )
  }

  async function decide(job: Job, message: OutgoingMessage): Promise<Decision> {
    const [lane] = choice.ways(message)
    const now = clock.now()
    if (now >= job.expiresAt) return expired(job, FAILURES.neverSubmitted)
    const { lapsed } = job
    if (lane !== undefined)
      return { step: step(job, { kind: 'dispatch', lane, runAt: now, lapsed, carrierRef: null }) }
    // A process with another file may know its carrier.
    if (await agree()) return { ending: decided(job, 'rejected', FAILURES.noCarrier) }
    const runAt = Math.min(now + DISAGREED_MS, job.expiresAt)
    return { step: step(job, { kind: 'dispatch', runAt, lapsed }) }
  }
}
