import { FAILURES } from '../../domain/failure-reasons.ts'
import { outgoingMessages } from '../../messages/index.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/outbox.ts'
import { all } from '../../platform/jobs/queue.ts'
import { type Carrier, isOwnRef, type Receipt, type SubmittedPart } from '../carrier.ts'
import { findVerdicts, type PartVerdict } from '../finish/refs.ts'
import { type AnswerOptions, inTime } from './answer-in-time.ts'
import { type Decision, expired, step } from './steps.ts'

export interface AwaitOptions extends AnswerOptions {
  database: Database
  /** Undefined for messages whose carrier is no longer configured. */
  carrier: Carrier | undefined
  store(decision: Decision): Promise<void>
  takeReceipts(receipts: readonly Receipt[]): Promise<void>
  takeVerdicts(verdicts: readonly PartVerdict[]): Promise<void>
  /** How long to wait before asking again for a receipt. */
  askAgainMs: number
}

const LONGEST_INQUIRY_MS = 3_600_000

/**
 * Looks after messages whose receipt is overdue: asks for it by their references, if the carrier can be asked. A
 * message without one is uncertain, and waits. One past its validity expires.
 */
export function createAwaitReceipts(options: AwaitOptions) {
  const { database, clock, carrier, store, takeReceipts, takeVerdicts, askAgainMs } = options
  const { query } = carrier ?? {}

  return async function awaitReceipts(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    if (carrier) await takeNoted(carrier, jobs)
    const asked = await questions(jobs)
    const answers = query
      ? inTime<Receipt | undefined>(
          asked.map(({ about }) => query(about)),
          undefined,
          options,
        )
      : []
    const byJob = new Map(jobs.map((job) => [job, [] as Promise<Receipt | undefined>[]]))
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

  /** What to ask the carrier: about each of its references. */
  async function questions(jobs: readonly Job[]): Promise<{ job: Job; about: SubmittedPart }[]> {
    if (!query) return []
    const ids = jobs.filter((job) => job.carrierRef !== null).map(({ id }) => id)
    const messages = ids.length > 0 ? await database.read((tx) => outgoingMessages(tx, ids)) : []
    const senders = new Map<string, string>(messages.map(({ id, sender }) => [id, sender]))
    return jobs.flatMap((job) => {
      const sender = senders.get(job.id)
      if (sender === undefined) return []
      const given = refsOf(job).filter((ref) => !isOwnRef(ref))
      return given.map((ref) => ({ job, about: { sender, ref } }))
    })
  }

  async function conclude(job: Job, answers: readonly (Receipt | undefined)[]): Promise<void> {
    const receipts = answers.filter((answer) => answer !== undefined)
    // As good as receipts that came by themselves, so they count even if another process holds the job by now.
    if (receipts.length > 0) await takeReceipts(receipts)
    // Where the receipts ended the message, its job is gone and this changes nothing.
    await store(afterInquiry(job))
  }

  function afterInquiry(job: Job): Decision {
    const now = clock.now()
    if (now >= job.expiresAt) {
      job.submittedAt ||= job.handedAt
      return expired(job, FAILURES.noReceipt)
    }
    const isUncertain = job.carrierRef === null && job.submittedAt === 0
    if (job.lapsed && isUncertain && carrier?.unanswered === 'again')
      return { step: step(job, { kind: 'dispatch', runAt: now, attempts: 0 }) }
    // Without a reference, another look brings nothing but the end of the validity.
    const canLearn = carrier !== undefined && job.carrierRef !== null
    const runAt = canLearn ? Math.min(nextInquiry(job, now), job.expiresAt) : job.expiresAt
    return { step: step(job, { kind: 'await', runAt, attempts: job.attempts + 1 }) }
  }

  /** The pause doubles with each look, up to an hour. */
  function nextInquiry(job: Job, now: number): number {
    return now + Math.min(askAgainMs * 2 ** Math.min(job.attempts, 16), LONGEST_INQUIRY_MS)
  }
}

function refsOf({ carrierRef }: Job): string[] {
  return carrierRef === null ? [] : carrierRef.split(' ')
}
