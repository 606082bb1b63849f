import type { Ticket } from '../domain/ids.ts'
import type { OutgoingMessage } from '../domain/message.ts'
import { dialled } from '../domain/phone.ts'
import { outgoingMessages } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import { type Job, markHandedOver, type NextStep, reschedule } from '../platform/jobs/outbox.ts'
import type { Asked, Carrier, QueryOutcome, SubmitOutcome } from './carrier.ts'
import type { Ending } from './endings.ts'
import { endingOf, type Finalize } from './finalize.ts'
import type { LateSteps } from './late-steps.ts'

export interface DispatchOptions {
  database: Database
  clock: Clock
  carrier: Carrier
  finalize: Finalize
  lateSteps: LateSteps
  /** The pauses between submissions that the carrier did not take; after the last one the message has failed. */
  retryPlanMs: readonly number[]
  /** How long to wait before asking again about a message whose outcome is unknown. */
  askAgainMs: number
  /** Called when jobs of a kind were rescheduled. */
  wake(kind: NextStep['kind']): void
  /** Called when the carrier's code failed. Its answer then counts as unknown. */
  onFault(error: unknown): void
}

/** The result of a job: its next step, or the end of its message. */
type Decision = { step: NextStep; late?: true } | { ending: Ending }

type Lane = (jobs: readonly Job[], done: (job: Job) => void) => Promise<void>

/** After this time without an answer, the carrier's answer counts as unknown. */
const LONGEST_ANSWER_MS = 60_000

/**
 * Hands claimed messages to the carrier, outside of any transaction. After a claim that lapsed, it is unknown whether
 * the message was submitted, so the carrier is asked first. A carrier that can't be asked gets a message only after it
 * is marked as handed over: an unmarked message was certainly not submitted.
 */
export function createDispatch(options: DispatchOptions): Lane {
  const { database, clock, carrier } = options

  return async function dispatch(jobs, done) {
    const now = clock.now()
    const [lapsed, certain] = carrier.query ? split(jobs, (job) => job.lapsed) : [[], jobs]
    const [overdue, due] = split(certain, (job) => now >= job.expiresAt)
    await settle(
      [
        ...lapsed.map((job) => ({ step: step(job, { kind: 'await', runAt: now, attempts: 0 }) })),
        ...overdue.map((job) => expired(job, 'Its validity ended before it could be submitted.')),
      ],
      options,
    )
    for (const job of [...lapsed, ...overdue]) done(job)
    if (due.length > 0) await submit(due)
  }

  async function submit(jobs: readonly Job[]): Promise<void> {
    const pairs = await heldFor(await withMessages(jobs))
    const outcomes = await answered(
      carrier.submit(pairs.map(({ message }) => submission(message))),
      pairs.map((): SubmitOutcome => ({ kind: 'uncertain' })),
      options,
    )
    const decisions = pairs.map(({ job }, index) =>
      afterSubmit(job, outcomes[index] ?? { kind: 'uncertain' }, options),
    )
    await settle(decisions, options)
  }

  async function withMessages(jobs: readonly Job[]): Promise<Outgoing[]> {
    const missing = jobs.filter(({ message }) => !message).map(({ id }) => id)
    const found = new Map<string, OutgoingMessage>()
    if (missing.length > 0) {
      const messages = await database.read((tx) => outgoingMessages(tx, missing))
      for (const message of messages) found.set(message.id, message)
    }
    return jobs.flatMap((job) => {
      const message = job.message ?? found.get(job.id)
      return message ? [{ job, message }] : []
    })
  }

  /** Returns the messages that may be handed over. */
  async function heldFor(pairs: readonly Outgoing[]): Promise<readonly Outgoing[]> {
    if (carrier.query) return pairs
    const jobs = pairs.map(({ job }) => job)
    const held = await database.write((tx) => markHandedOver(tx, jobs))
    return pairs.filter(({ job }) => held.has(job.id))
  }
}

interface Outgoing {
  job: Job
  message: OutgoingMessage
}

/**
 * Asks the carrier about messages whose receipt is overdue, or that it may never have received. One that it never
 * received is submitted again; one past its validity expires.
 */
export function createAwaitReceipts(options: DispatchOptions): Lane {
  return async function awaitReceipts(jobs) {
    const outcomes = await ask(
      jobs.map((job) => ({ ticket: job.id as Ticket, carrierRef: job.carrierRef })),
      options,
    )
    await settle(
      jobs.map((job, index) => afterQuery(job, outcomes[index] ?? { kind: 'unknown' }, options)),
      options,
    )
  }
}

async function ask(messages: readonly Asked[], options: DispatchOptions): Promise<QueryOutcome[]> {
  const unknown = messages.map((): QueryOutcome => ({ kind: 'unknown' }))
  const { query } = options.carrier
  return query ? answered(query(messages), unknown, options) : unknown
}

/** The carrier's answer, or `otherwise` when it fails or takes too long. */
async function answered<T>(
  answer: Promise<T>,
  otherwise: T,
  { clock, onFault }: DispatchOptions,
): Promise<T> {
  let cancel = () => {}
  const late = new Promise<T>((resolve) => {
    cancel = clock.after(LONGEST_ANSWER_MS, () => {
      onFault(new Error(`the carrier has not answered for ${LONGEST_ANSWER_MS / 1_000} s`))
      resolve(otherwise)
    })
  })
  const failed = (error: unknown) => {
    onFault(error)
    return otherwise
  }
  try {
    return await Promise.race([answer.catch(failed), late])
  } finally {
    cancel()
  }
}

function afterSubmit(job: Job, outcome: SubmitOutcome, options: DispatchOptions): Decision {
  const now = options.clock.now()
  switch (outcome.kind) {
    case 'accepted': {
      const runAt = now + options.carrier.receiptExpectedMs
      const { carrierRef } = outcome
      const next = step(job, { kind: 'await', runAt, attempts: 0, carrierRef, submittedAt: now })
      return options.carrier.query ? { step: next, late: true } : { step: next }
    }
    case 'rejected':
      return { ending: decided(job, 'rejected', outcome.reason) }
    case 'uncertain':
      return { step: step(job, { kind: 'await', runAt: now + options.askAgainMs, attempts: 0 }) }
    case 'not_taken': {
      const pause = options.retryPlanMs[job.attempts]
      if (pause === undefined) {
        const reason = `Not taken by the carrier after ${job.attempts + 1} attempts: ${outcome.reason}`
        return { ending: decided(job, 'failed', reason) }
      }
      return { step: step(job, { kind: 'dispatch', runAt: now + pause, attempts: job.attempts + 1 }) }
    }
  }
}

function afterQuery(job: Job, outcome: QueryOutcome, options: DispatchOptions): Decision {
  const now = options.clock.now()
  // As good as a receipt, so it counts even if another process holds the job by now.
  if (outcome.kind === 'final') return { ending: endingOf(outcome.receipt, job.submittedAt || now) }
  if (now >= job.expiresAt) return expired(job, 'No receipt came within the validity period.')
  if (outcome.kind === 'never_received')
    return { step: step(job, { kind: 'dispatch', runAt: now, attempts: 0 }) }
  const carrierRef = outcome.kind === 'under_way' ? outcome.carrierRef : job.carrierRef
  const runAt = Math.min(nextLook(job, now, options.askAgainMs), job.expiresAt)
  return {
    step: step(job, {
      kind: 'await',
      runAt,
      carrierRef,
      submittedAt: job.submittedAt || (carrierRef === undefined ? 0 : now),
      attempts: job.attempts + 1,
    }),
  }
}

function expired(job: Job, reason: string): Decision {
  return { ending: decided(job, 'expired', reason) }
}

/** An ending decided by a job rather than by a receipt: it counts only while the job is held. */
function decided(job: Job, status: Ending['status'], reason: string): Ending {
  const { id, carrierRef = '', submittedAt, epoch } = job
  return { ticket: id as Ticket, status, carrierRef, submittedAt, reason, epoch }
}

const LONGEST_LOOK_MS = 3_600_000

/** The pause doubles with each question about an overdue message, up to an hour. */
function nextLook(job: Job, now: number, firstMs: number): number {
  return now + Math.min(firstMs * 2 ** Math.min(job.attempts, 16), LONGEST_LOOK_MS)
}

async function settle(
  decisions: readonly Decision[],
  { database, finalize, lateSteps, wake }: DispatchOptions,
): Promise<void> {
  const steps: NextStep[] = []
  const late: NextStep[] = []
  const endings: Ending[] = []
  for (const decision of decisions) {
    if ('ending' in decision) endings.push(decision.ending)
    else (decision.late ? late : steps).push(decision.step)
  }
  if (late.length > 0) lateSteps.add(late)
  if (steps.length > 0) await database.write((tx) => reschedule(tx, steps), { patient: true })
  for (const kind of new Set(steps.map((each) => each.kind))) wake(kind)
  await finalize(endings)
}

function step(job: Job, next: Partial<NextStep> & Pick<NextStep, 'kind' | 'runAt'>): NextStep {
  const { id, epoch, attempts, carrierRef, submittedAt } = job
  return { id, epoch, attempts, carrierRef, submittedAt, lapsed: false, ...next }
}

function submission({ id, sender, recipient, content, encoding }: OutgoingMessage) {
  return { ticket: id, sender, recipient: dialled(recipient), content, encoding }
}

function split<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}
