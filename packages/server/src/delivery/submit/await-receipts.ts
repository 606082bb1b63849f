import { FAILURES } from '../../domain/failure-reasons.ts'
import type { Ticket } from '../../domain/ids.ts'
import { outgoingMessages } from '../../messages/index.ts'
import type { Database } from '../../platform/database/database.ts'
import { all } from '../../platform/jobs/all.ts'
import type { Job } from '../../platform/jobs/outbox.ts'
import { type Asked, type Carrier, isOwnRef, type QueryOutcome, type Receipt } from '../carrier.ts'
import { findVerdicts, type PartVerdict } from '../finish/refs.ts'
import { type AnswerOptions, inTime } from './answers.ts'
import { type Decision, expired, step } from './steps.ts'

export interface AwaitOptions extends AnswerOptions {
  database: Database
  /** Undefined for messages whose carrier is no longer configured. */
  carrier: Carrier | undefined
  settle(decision: Decision): Promise<void>
  takeReceipts(receipts: readonly Receipt[]): Promise<void>
  takeVerdicts(verdicts: readonly PartVerdict[]): Promise<void>
  /** How long to wait before asking again about a message whose outcome is unknown. */
  askAgainMs: number
}

const LONGEST_LOOK_MS = 3_600_000

/**
 * Looks after messages whose receipt is overdue, or that the carrier may never have received: asks the carrier if it
 * can be asked. A message that it never received is submitted again; one past its validity expires.
 */
export function createAwaitReceipts(options: AwaitOptions) {
  const { database, clock, carrier, settle, takeReceipts, takeVerdicts, askAgainMs } = options
  const { query } = carrier ?? {}

  return async function awaitReceipts(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    if (carrier && !carrier.knowsTickets) await takeNoted(carrier, jobs)
    const asked = await questions(jobs)
    const answers = query
      ? inTime<QueryOutcome>(
          asked.map(({ about }) => query(about)),
          { kind: 'unknown' },
          options,
        )
      : []
    const byJob = new Map(jobs.map((job) => [job, [] as Promise<QueryOutcome>[]]))
    for (const [index, { job }] of asked.entries()) {
      const answer = answers[index]
      if (answer) byJob.get(job)?.push(answer)
    }
    await all(
      [...byJob].map(async ([job, promised]) => {
        await conclude(job, await Promise.all(promised))
        done(job)
      }),
    )
  }

  /** Takes verdicts that were noted, but whose messages are not final: the process died in between, for example. */
  async function takeNoted({ name }: Carrier, jobs: readonly Job[]): Promise<void> {
    const refs = jobs.flatMap(refsOf)
    const noted = refs.length > 0 ? await database.read((tx) => findVerdicts(tx, name, refs)) : []
    if (noted.length > 0) await takeVerdicts(noted)
  }

  /** What to ask the carrier: about a message if it knows our tickets, else about each of its references. */
  async function questions(jobs: readonly Job[]): Promise<{ job: Job; about: Asked }[]> {
    if (!carrier || !query) return []
    if (carrier.knowsTickets)
      return jobs.map((job) => ({
        job,
        about: { ticket: job.id as Ticket, sender: '', ref: job.carrierRef },
      }))
    const ids = jobs.filter((job) => job.carrierRef !== undefined).map(({ id }) => id)
    const messages = ids.length > 0 ? await database.read((tx) => outgoingMessages(tx, ids)) : []
    const senders = new Map<string, string>(messages.map(({ id, sender }) => [id, sender]))
    return jobs.flatMap((job) => {
      const sender = senders.get(job.id)
      if (sender === undefined) return []
      const given = refsOf(job).filter((ref) => !isOwnRef(ref))
      return given.map((ref) => ({ job, about: { ticket: job.id as Ticket, sender, ref } }))
    })
  }

  async function conclude(job: Job, outcomes: readonly QueryOutcome[]): Promise<void> {
    const receipts = outcomes.flatMap((outcome) => (outcome.kind === 'final' ? [outcome.receipt] : []))
    // As good as receipts that came by themselves, so they count even if another process holds the job by now.
    if (receipts.length > 0) await takeReceipts(receipts)
    // Where the receipts ended the message, its job is gone and this changes nothing.
    await settle(afterLook(job, outcomes))
  }

  function afterLook(job: Job, outcomes: readonly QueryOutcome[]): Decision {
    const now = clock.now()
    if (now >= job.expiresAt) {
      const { submittedAt, handedAt } = job
      return expired({ ...job, submittedAt: submittedAt || handedAt }, FAILURES.noReceipt)
    }
    const again = { kind: 'dispatch', runAt: now, attempts: 0 } as const
    if (outcomes.some(({ kind }) => kind === 'never_received')) return { step: step(job, again) }
    const isUncertain = job.carrierRef === undefined && job.submittedAt === 0
    if (job.lapsed && isUncertain && carrier?.unanswered === 'again') return { step: step(job, again) }
    const found = outcomes.find((outcome) => outcome.kind === 'under_way')
    const carrierRef = job.carrierRef ?? found?.ref
    const submittedAt =
      job.submittedAt || (carrierRef === undefined || job.carrierRef !== undefined ? 0 : now)
    const runAt = Math.min(canLearn(carrierRef) ? nextLook(job, now) : job.expiresAt, job.expiresAt)
    return { step: step(job, { kind: 'await', runAt, carrierRef, submittedAt, attempts: job.attempts + 1 }) }
  }

  /** Whether another look can bring anything but the end of the validity. */
  function canLearn(carrierRef: string | undefined): boolean {
    if (!carrier) return false
    return carrier.knowsTickets ? query !== undefined : carrierRef !== undefined
  }

  /** The pause doubles with each look, up to an hour. */
  function nextLook(job: Job, now: number): number {
    return now + Math.min(askAgainMs * 2 ** Math.min(job.attempts, 16), LONGEST_LOOK_MS)
  }
}

function refsOf({ carrierRef }: Job): string[] {
  return carrierRef === undefined ? [] : carrierRef.split(' ')
}
