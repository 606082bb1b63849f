import { FAILURES } from '../../domain/failure-reasons.ts'
import { epochMs, type Ticket } from '../../domain/ids.ts'
import { type OutgoingMessage, RECEIPT_GRACE_MS } from '../../domain/message.ts'
import { dialled } from '../../domain/phone/phone.ts'
import { outgoingMessages } from '../../messages/index.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Job } from '../../platform/jobs/outbox.ts'
import { all } from '../../platform/jobs/queue.ts'
import type { Lane } from '../../platform/jobs/worker.ts'
import type { Carrier, PartRef, Refusal, Submission, SubmitOutcome } from '../carrier.ts'
import { partsOf } from '../finish/refs.ts'
import { type AnswerOptions, inTime } from './answer-in-time.ts'
import type { Choice } from './choice.ts'
import { costOf } from './costs.ts'
import type { NextReference } from './long-references.ts'
import {
  type Decision,
  decided,
  expired,
  type MessageJob,
  markHandedOver,
  ofHandOver,
  step,
} from './steps.ts'
import type { StoreDecision } from './store-decisions.ts'

export interface DispatchOptions extends AnswerOptions {
  database: Database
  carrier: Carrier
  choice: Choice
  store: StoreDecision
  nextReference: NextReference
  /** The pauses between submissions that the carrier did not take; after the last one the message has failed. */
  retryPlanMs: readonly number[]
  /** Called with what the carrier said to a submission. */
  onAnswer(ticket: Ticket, outcome: SubmitOutcome): void
  /** Called when a submission was not answered. */
  onUncertain(ticket: Ticket): void
}

/** What a carrier gets for a message whose validity is nearly over. */
const LEAST_VALIDITY_MS = 60_000
/** How many messages of a carrier that is away are looked at together, to find another carrier or to expire them. */
const AWAY_CAPACITY = 512
/** How long messages of a carrier that is away here are left to other processes, which may be connected to it. */
const AWAY_PATIENCE_MS = 10_000
/** Messages of a carrier that is away wait for this part of their age, within these bounds, or until it is back. */
const AWAY_SHARE = 1 / 8
const AWAY_LEAST_MS = 5_000
const AWAY_MOST_MS = 15 * 60_000

/**
 * Hands claimed messages to a carrier, outside of any transaction. It gets a message only after that is marked as handed
 * over, so an unmarked message was certainly not submitted, whatever its claim.
 */
export function createDispatch(
  options: DispatchOptions,
): Required<Pick<Lane, 'handle' | 'capacity' | 'patienceMs'>> {
  const { database, clock, carrier, choice, store } = options
  const isAway = () => choice.isAway(carrier.name)
  /** Also while it rests: a message that waits for it is not marked as handed over. */
  const takesNothing = () => isAway() || (!choice.isUp(carrier.name) && carrier.capacity() === 0)
  /** The messages that are on their way to the carrier, which does not count them yet. */
  let preparing = 0

  async function handle(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    const now = clock.now()
    const overdue = jobs.filter((job) => now >= job.expiresAt)
    const due = jobs.filter((job) => now < job.expiresAt)
    const end: End = async (job, decision, options) => {
      await store(decision, options)
      done(job)
    }
    await all([
      ...overdue.map((job) => end(job, expired(job, FAILURES.neverSubmitted))),
      (takesNothing() ? putOff(due, end) : submit(due, end)).then(all),
    ])
  }

  async function submit(jobs: readonly Job[], end: End): Promise<Promise<void>[]> {
    let counted = jobs.length
    preparing += counted
    try {
      const found = await withMessages(database, jobs)
      const taken = await takenParts(found)
      const outgoing = await handedOver(found)
      const now = clock.now()
      const submissions = outgoing.map(({ job, message }) =>
        submission(job, message, { now, taken: taken.get(message.id) }),
      )
      preparing -= counted
      counted = 0
      const answers = submissions.map((message) => carrier.submit(message))
      return inTime<SubmitOutcome>(answers, { kind: 'uncertain' }, options).map(async (answer, index) => {
        const one = outgoing[index]
        if (!one) return
        const outcome = await answer
        options.onAnswer(one.message.id, outcome)
        const decision = afterSubmit(one, outcome)
        const answered = outcome.kind === 'uncertain' ? decision : ofHandOver(one.job, decision)
        // The carrier's answer cannot be learnt again, so storing it is tried for a while.
        await end(one.job, answered, { firmly: true })
      })
    } finally {
      preparing -= counted
    }
  }

  /** Marks messages as handed over, and returns those that may be submitted. */
  async function handedOver(outgoing: readonly Outgoing[]): Promise<readonly Outgoing[]> {
    if (outgoing.length === 0) return []
    const now = clock.now()
    for (const { job, message } of outgoing) {
      job.handedAt = now
      job.longRef ??= options.nextReference(message) ?? null
    }
    const jobs = outgoing.map(({ job }) => job)
    try {
      const held = await database.write((tx) => markHandedOver(tx, jobs))
      return outgoing.filter(({ job }) => held.has(job.id))
    } catch (error) {
      // The mark may be stored all the same, and that nothing was submitted is known here alone.
      const again = jobs.map((job) => {
        const undone = { step: step(job, { kind: 'dispatch', runAt: clock.now() }) }
        return store(ofHandOver(job, undone), { firmly: true })
      })
      await Promise.all(again).catch(options.onFault)
      throw error
    }
  }

  /** The parts of long messages that were taken by an earlier submission. */
  async function takenParts(outgoing: readonly Outgoing[]): Promise<Map<Ticket, number[]>> {
    const begun = outgoing.filter(({ job }) => job.carrierRef !== null).map(({ message }) => message.id)
    if (begun.length === 0) return new Map()
    const parts = await database.read((tx) => partsOf(tx, begun))
    return new Map(
      [...parts].map(([ticket, stored]) => [
        ticket,
        stored.flatMap((one) => (one.carrier === carrier.name ? one.part : [])),
      ]),
    )
  }

  /** Finds another way for the messages of a carrier that takes nothing, or lets them wait until it is back. */
  async function putOff(jobs: readonly Job[], end: End): Promise<Promise<void>[]> {
    const now = clock.now()
    return (await withMessages(database, jobs)).map((one) => {
      const { job, message } = one
      const lane = elsewhere(one)
      if (lane !== undefined) return end(job, { step: step(job, { kind: 'dispatch', lane, runAt: now }) })
      const share = (now - message.createdAt) * AWAY_SHARE
      const pause = Math.min(Math.max(share, AWAY_LEAST_MS), AWAY_MOST_MS)
      const runAt = Math.min(now + Math.round(pause), job.expiresAt)
      return end(job, { step: step(job, { kind: 'dispatch', runAt }) })
    })
  }

  /** The next carrier that takes the message now. A carrier that has some of its parts must get the others too. */
  function elsewhere({ job, message }: Outgoing): string | undefined {
    if (job.carrierRef !== null) return undefined
    const ways = choice.ways(message)
    const here = ways.indexOf(carrier.name)
    return [...ways.slice(here + 1), ...ways.slice(0, Math.max(here, 0))].find(choice.isUp)
  }

  function afterSubmit(one: Outgoing, outcome: SubmitOutcome): Decision {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'partly') return afterRefusal(one, outcome)
    const { refs, parts } = outcome
    const { job, message } = one
    const carrierRef = joined(job.carrierRef, refs)
    const cost = costOf(message, {
      carrier: carrier.name,
      unit: choice.costOf(message, carrier.name),
      parts,
      at: clock.now(),
    })
    const took = { cost, refs: { carrier: carrier.name, ticket: message.id, parts, refs } }
    if (outcome.kind === 'partly') {
      if (refs.length > 0) job.carrierRef = carrierRef
      return { ...afterRefusal(one, outcome.rest), ...took }
    }
    const now = clock.now()
    const runAt = now + carrier.receiptExpectedMs
    return {
      step: step(job, { kind: 'await', runAt, attempts: 0, carrierRef, submittedAt: now }),
      ...took,
    }
  }

  function afterRefusal(one: Outgoing, refusal: Refusal): Decision {
    const { job } = one
    const now = clock.now()
    const pause = options.retryPlanMs[job.attempts]
    switch (refusal.kind) {
      case 'rejected':
        return { ending: decided(job, 'rejected', refusal.reason) }
      case 'uncertain': {
        options.onUncertain(one.message.id)
        if (carrier.unanswered === 'again' && pause !== undefined)
          return { step: step(job, { kind: 'dispatch', runAt: now + pause, attempts: job.attempts + 1 }) }
        // Without a reference there is nothing to ask the carrier. A look would only keep it from whoever decides about it.
        const runAt = job.carrierRef === null ? job.expiresAt : now + carrier.receiptExpectedMs
        return { step: step(job, { kind: 'await', runAt, attempts: 0, submittedAt: 0 }) }
      }
      case 'later': {
        const lane = elsewhere(one)
        if (lane !== undefined) return { step: step(job, { kind: 'dispatch', lane, runAt: now }) }
        const runAt = Math.min(now + refusal.afterMs, job.expiresAt)
        return { step: step(job, { kind: 'dispatch', runAt }) }
      }
      case 'not_taken': {
        if (pause === undefined) {
          const reason = `Not taken by the carrier after ${job.attempts + 1} attempts: ${refusal.reason}`
          return { ending: decided(job, 'failed', reason) }
        }
        const lane = elsewhere(one)
        // Another carrier may take it at once. After that, the pauses count: both may be in trouble.
        const wait = lane !== undefined && job.attempts === 0 ? 0 : pause
        const next = { runAt: now + wait, attempts: job.attempts + 1, lane: lane ?? job.lane }
        return { step: step(job, { kind: 'dispatch', ...next }) }
      }
    }
  }

  return {
    handle,
    capacity: () => (isAway() ? AWAY_CAPACITY : carrier.capacity() - preparing),
    patienceMs: () => (isAway() ? AWAY_PATIENCE_MS : 0),
  }
}

type End = (job: Job, decision: Decision, options?: { firmly: boolean }) => Promise<void>

export interface Outgoing {
  job: Job
  message: OutgoingMessage
}

/** The jobs with their messages. Jobs of messages that are final by now are left out. */
export async function withMessages(database: Database, jobs: readonly MessageJob[]): Promise<Outgoing[]> {
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

function submission(
  job: Job,
  message: OutgoingMessage,
  { now, taken = [] }: { now: number; taken: readonly number[] | undefined },
): Submission {
  const { id, sender, recipient, content, encoding } = message
  // The carrier stops trying earlier than the message expires here, so that its last receipt still counts.
  const expiresAt = epochMs(Math.max(job.expiresAt - RECEIPT_GRACE_MS, now + LEAST_VALIDITY_MS))
  const reference = job.longRef ?? 0
  return { ticket: id, sender, recipient: dialled(recipient), content, encoding, expiresAt, reference, taken }
}

/** The references of a message in one text, for its row and its job. */
function joined(before: string | null, refs: readonly PartRef[]): string | null {
  const all = [...(before === null ? [] : [before]), ...refs.map(({ ref }) => ref)]
  return all.length === 0 ? null : all.join(' ')
}
