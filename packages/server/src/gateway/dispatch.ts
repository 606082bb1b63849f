import type { Clock } from '../clock.ts'
import type { Ticket } from '../domain/ids.ts'
import { dialled } from '../domain/phone.ts'
import type { Database } from '../store/database.ts'
import { type OutgoingMessage, outgoingMessages } from '../store/messages.ts'
import { type Job, type NextStep, reschedule } from '../store/outbox.ts'
import { type Ending, endingOf, type Finalize } from './finalize.ts'
import type { Carrier, QueryOutcome, SubmitOutcome } from './ports.ts'

export interface DispatchOptions {
  database: Database
  clock: Clock
  carrier: Carrier
  finalize: Finalize
  /** The pauses between submissions that the carrier did not take; after the last one the message has failed. */
  retryPlanMs: readonly number[]
  /** How long to leave a message alone whose fate nobody knows, before asking again. */
  askAgainMs: number
}

/** What a job comes to: its next step, or the end of its message. */
type Decision = { step: NextStep } | { ending: Ending }

/** Hands claimed messages to the carrier. The carrier is called outside of any transaction. */
export function createDispatch(options: DispatchOptions): (jobs: readonly Job[]) => Promise<void> {
  const { database, clock, carrier } = options

  return async function dispatch(jobs) {
    const [certain, lapsed] = split(jobs, (job) => !job.lapsed)
    const asked = await ask(lapsed)
    await settle(asked.decisions, options)
    await submit([...certain, ...asked.neverReceived])
  }

  async function submit(claimed: readonly Job[]): Promise<void> {
    const now = clock.now()
    const [jobs, overdue] = split(claimed, (job) => now < job.expiresAt)
    await settle(
      overdue.map((job) => expired(job, 'Its validity ended before it could be submitted.')),
      options,
    )
    if (jobs.length === 0) return
    const found = await find(jobs.map(({ id }) => id))
    const pairs = jobs.flatMap((job) => {
      const message = found.get(job.id)
      return message ? [{ job, message }] : []
    })
    const outcomes = await carrier.submit(pairs.map(({ message }) => submission(message)))
    const decisions = pairs.map(({ job, message }, index) =>
      afterSubmit(job, message.id, outcomes[index] ?? { kind: 'uncertain' }, options),
    )
    await settle(decisions, options)
  }

  async function find(ids: readonly string[]): Promise<Map<string, OutgoingMessage>> {
    const messages = await database.read((connection) => outgoingMessages(connection, ids))
    return new Map(messages.map((message) => [message.id, message]))
  }

  /** A claim that lapsed may have reached the carrier: it is asked, and submitted again only if it says never. */
  async function ask(jobs: readonly Job[]): Promise<{ decisions: Decision[]; neverReceived: Job[] }> {
    if (jobs.length === 0) return { decisions: [], neverReceived: [] }
    const outcomes = await carrier.query(
      jobs.map((job) => ({ ticket: job.id as Ticket, carrierRef: undefined })),
    )
    // How often the carrier was asked says nothing of how often it was tried.
    const neverReceived = jobs
      .filter((_, index) => outcomes[index]?.kind === 'never_received')
      .map((job) => ({ ...job, attempts: 0 }))
    const decisions = jobs.flatMap((job, index) => {
      const outcome = outcomes[index] ?? { kind: 'unknown' }
      return outcome.kind === 'never_received' ? [] : [afterQuery(job, outcome, options)]
    })
    return { decisions, neverReceived }
  }
}

/** Asks the carrier about messages whose receipt is overdue, and gives up on those past their validity. */
export function createAwaitReceipts(options: DispatchOptions): (jobs: readonly Job[]) => Promise<void> {
  return async function awaitReceipts(jobs) {
    const asked = jobs.map((job) => ({ ticket: job.id as Ticket, carrierRef: job.carrierRef }))
    const outcomes = await options.carrier.query(asked)
    await settle(
      jobs.map((job, index) => afterQuery(job, outcomes[index] ?? { kind: 'unknown' }, options)),
      options,
    )
  }
}

function afterSubmit(job: Job, ticket: Ticket, outcome: SubmitOutcome, options: DispatchOptions): Decision {
  const now = options.clock.now()
  switch (outcome.kind) {
    case 'accepted': {
      const runAt = now + options.carrier.receiptExpectedMs
      const { carrierRef } = outcome
      return { step: step(job, { kind: 'await', runAt, attempts: 0, carrierRef, submittedAt: now }) }
    }
    case 'rejected':
      return { ending: { ticket, status: 'rejected', carrierRef: '', reason: outcome.reason } }
    case 'uncertain':
      return { step: step(job, { kind: 'dispatch', runAt: now + options.askAgainMs, lapsed: true }) }
    case 'not_taken': {
      const pause = options.retryPlanMs[job.attempts]
      if (pause === undefined) {
        const reason = `Not taken by the carrier after ${job.attempts + 1} attempts: ${outcome.reason}`
        return { ending: { ticket, status: 'failed', carrierRef: '', reason } }
      }
      return { step: step(job, { kind: 'dispatch', runAt: now + pause, attempts: job.attempts + 1 }) }
    }
  }
}

function afterQuery(job: Job, outcome: QueryOutcome, options: DispatchOptions): Decision {
  const now = options.clock.now()
  if (outcome.kind === 'final') return { ending: endingOf(outcome.receipt) }
  if (now >= job.expiresAt) return expired(job, 'No receipt came within the validity period.')
  const carrierRef = outcome.kind === 'under_way' ? outcome.carrierRef : job.carrierRef
  const known = carrierRef !== undefined
  const runAt = Math.min(nextLook(job, now, options.askAgainMs), job.expiresAt)
  return {
    step: step(job, {
      kind: known ? 'await' : 'dispatch',
      runAt,
      carrierRef,
      submittedAt: job.submittedAt || (known ? now : 0),
      attempts: job.attempts + 1,
      lapsed: !known,
    }),
  }
}

function expired(job: Job, reason: string): Decision {
  return { ending: { ticket: job.id as Ticket, status: 'expired', carrierRef: job.carrierRef ?? '', reason } }
}

const LONGEST_LOOK_MS = 3_600_000

/** Each look at an overdue message waits twice as long as the one before, an hour at the most. */
function nextLook(job: Job, now: number, firstMs: number): number {
  return now + Math.min(firstMs * 2 ** Math.min(job.attempts, 16), LONGEST_LOOK_MS)
}

async function settle(
  decisions: readonly Decision[],
  { database, finalize }: DispatchOptions,
): Promise<void> {
  const steps = decisions.flatMap((decision) => ('step' in decision ? [decision.step] : []))
  const endings = decisions.flatMap((decision) => ('ending' in decision ? [decision.ending] : []))
  if (steps.length > 0) await database.write((connection) => reschedule(connection, steps), { patient: true })
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
