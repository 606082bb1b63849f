import type { Job } from '../../flow/jobs/outbox.ts'
import { all } from '../../flow/jobs/queue.ts'
import { FAILURES } from '../../kernel/message.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { backoff, HOUR_MS } from '../../kernel/time/spans.ts'
import { outgoingMessages } from '../../messages/index.ts'
import type { Database } from '../../store/database.ts'
import { type Carrier, isOwnRef, type Receipt, type SubmittedPart } from '../carrier.ts'
import { findVerdicts, type PartVerdict } from '../finish/refs.ts'
import { inTime } from './answers.ts'
import { type Decision, type Decisions, expired, step } from './decisions.ts'

interface Inquiry {
  database: Database
  clock: Clock
  /** Undefined for messages whose carrier is no longer configured. */
  carrier: Carrier | undefined
  decisions: Pick<Decisions, 'store'>
  takeReceipts(receipts: readonly Receipt[]): Promise<void>
  takeVerdicts(verdicts: readonly PartVerdict[]): Promise<void>
  /** How long to wait before asking again for a receipt. */
  askAgainMs: number
  onFault(error: unknown): void
}

/**
 * Looks after messages whose receipt is overdue: asks for it by their references, if the carrier can be asked. A
 * message without one is uncertain, and waits. One past its validity expires.
 */
export async function awaitReceipts(
  inquiry: Inquiry,
  jobs: readonly Job[],
  done: (job: Job) => void,
): Promise<void> {
  const { carrier, clock, onFault } = inquiry
  const { query } = carrier ?? {}
  if (carrier) await takeNoted(inquiry, carrier, jobs)
  const asked = await questions(inquiry, jobs)
  const answers = query
    ? inTime<Receipt | undefined>(
        asked.map(({ about }) => query(about)),
        undefined,
        { clock, onFault },
      )
    : []
  const byJob = new Map(jobs.map((job) => [job, [] as Promise<Receipt | undefined>[]]))
  for (const [index, { job }] of asked.entries()) {
    const answer = answers[index]
    if (answer) byJob.get(job)?.push(answer)
  }
  await all(
    [...byJob].map(async ([job, promised]) => {
      await conclude(inquiry, job, await Promise.all(promised))
      done(job)
    }),
  )
}

/** Takes verdicts that were noted, but whose messages are not final: the process died in between, for example. */
async function takeNoted(
  { database, takeVerdicts }: Inquiry,
  { name }: Carrier,
  jobs: readonly Job[],
): Promise<void> {
  const refs = jobs.flatMap(refsOf)
  const noted = refs.length > 0 ? await database.read((tx) => findVerdicts(tx, name, refs)) : []
  if (noted.length > 0) await takeVerdicts(noted)
}

/** The questions to ask the carrier, one for each of its references. */
async function questions(
  { database, carrier }: Inquiry,
  jobs: readonly Job[],
): Promise<{ job: Job; about: SubmittedPart }[]> {
  if (!carrier?.query) return []
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

async function conclude(
  inquiry: Inquiry,
  job: Job,
  answers: readonly (Receipt | undefined)[],
): Promise<void> {
  const receipts = answers.filter((answer) => answer !== undefined)
  // As good as receipts that came by themselves, so they count even if another process holds the job by now.
  if (receipts.length > 0) await inquiry.takeReceipts(receipts)
  // Where the receipts ended the message, its job is gone and this changes nothing.
  await inquiry.decisions.store(afterInquiry(inquiry, job))
}

function afterInquiry({ clock, carrier, askAgainMs }: Inquiry, job: Job): Decision {
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
  const runAt = canLearn
    ? Math.min(now + backoff(job.attempts + 1, askAgainMs, HOUR_MS), job.expiresAt)
    : job.expiresAt
  return { step: step(job, { kind: 'await', runAt, attempts: job.attempts + 1 }) }
}

function refsOf({ carrierRef }: Job): string[] {
  return carrierRef === null ? [] : carrierRef.split(' ')
}
