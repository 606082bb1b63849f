import type { Job } from '../../flow/jobs/outbox.ts'
import { all } from '../../flow/jobs/queue.ts'
import type { Lane } from '../../flow/jobs/worker.ts'
import type { Ticket } from '../../kernel/ids.ts'
import { FAILURES } from '../../kernel/message.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Database } from '../../store/database.ts'
import type { Carrier, PartRef, Refusal, SubmitOutcome } from '../carrier.ts'
import { partsOf } from '../finish/refs.ts'
import type { Choice } from '../plan/index.ts'
import { inTime } from './answers.ts'
import { costOf } from './costs.ts'
import {
  type Decision,
  type Decisions,
  decided,
  expired,
  markHandedOver,
  type Outgoing,
  ofHandOver,
  step,
  withMessages,
} from './decisions.ts'
import type { LongReferences } from './long-references.ts'
import { submission } from './submission.ts'

/** How many messages of a carrier that is away are looked at together, to find another carrier or to expire them. */
const AWAY_CAPACITY = 512
/** How long messages of a carrier that is away here are left to other processes, which may be connected to it. */
const AWAY_PATIENCE_MS = 10_000
/** Messages of a carrier that is away wait for this part of their age, within these bounds, or until it is back. */
const AWAY_SHARE = 1 / 8
const AWAY_LEAST_MS = 5_000
const AWAY_MOST_MS = 15 * MINUTE_MS

/**
 * Hands claimed messages to a carrier, outside of any transaction. It gets a message only after that is marked as handed
 * over, so an unmarked message was certainly not submitted, whatever its claim.
 */
export class HandOver {
  readonly #database: Database
  readonly #clock: Clock
  readonly #carrier: Carrier
  readonly #choice: Choice
  readonly #decisions: Pick<Decisions, 'store'>
  readonly #references: LongReferences
  readonly #retryPlanMs: readonly number[]
  readonly #told: Told
  /** The messages that are on their way to the carrier, which does not count them yet. */
  #preparing = 0
  /** Whether the lane was told of less capacity because of them. */
  #isKeptBack = false

  constructor(
    parts: { database: Database; clock: Clock; retryPlanMs: readonly number[] },
    own: {
      carrier: Carrier
      choice: Choice
      decisions: Pick<Decisions, 'store'>
      references: LongReferences
      told: Told
    },
  ) {
    this.#database = parts.database
    this.#clock = parts.clock
    this.#retryPlanMs = parts.retryPlanMs
    this.#carrier = own.carrier
    this.#choice = own.choice
    this.#decisions = own.decisions
    this.#references = own.references
    this.#told = own.told
  }

  /** As a lane of the worker. */
  get lane(): Required<Pick<Lane, 'handle' | 'capacity' | 'patienceMs'>> {
    return {
      handle: (jobs, done) => this.handle(jobs, done),
      capacity: () => (this.#isAway() ? AWAY_CAPACITY : this.#capacity()),
      patienceMs: () => (this.#isAway() ? AWAY_PATIENCE_MS : 0),
    }
  }

  #capacity(): number {
    const free = this.#carrier.capacity() - this.#preparing
    if (free <= 0 && this.#preparing > 0) this.#isKeptBack = true
    return free
  }

  /** The carrier counts them now, or they are not coming. It was never full, so it does not tell the lane to look again. */
  #prepared(count: number): void {
    this.#preparing -= count
    if (!this.#isKeptBack || this.#preparing > 0) return
    this.#isKeptBack = false
    this.#told.onPrepared()
  }

  #isAway(): boolean {
    return this.#choice.isAway(this.#carrier.name)
  }

  /** Also while it rests: a message that waits for it is not marked as handed over. */
  #takesNothing(): boolean {
    return this.#isAway() || (!this.#choice.isUp(this.#carrier.name) && this.#carrier.capacity() === 0)
  }

  async handle(jobs: readonly Job[], done: (job: Job) => void): Promise<void> {
    const now = this.#clock.now()
    const overdue = jobs.filter((job) => now >= job.expiresAt)
    const due = jobs.filter((job) => now < job.expiresAt)
    const end: End = async (job, decision, options) => {
      await this.#decisions.store(decision, options)
      done(job)
    }
    await all([
      ...overdue.map((job) => end(job, expired(job, FAILURES.neverSubmitted))),
      (this.#takesNothing() ? this.#putOff(due, end) : this.#submit(due, end)).then(all),
    ])
  }

  async #submit(jobs: readonly Job[], end: End): Promise<Promise<void>[]> {
    let counted = jobs.length
    this.#preparing += counted
    try {
      const found = await withMessages(this.#database, jobs)
      const taken = await this.#takenParts(found)
      const outgoing = await this.#handedOver(found)
      const now = this.#clock.now()
      const submissions = outgoing.map(({ job, message }) =>
        submission(job, message, { now, taken: taken.get(message.id) }),
      )
      const answers = submissions.map((message) => this.#carrier.submit(message))
      this.#prepared(counted)
      counted = 0
      return inTime<SubmitOutcome>(
        answers,
        { kind: 'uncertain' },
        { clock: this.#clock, onFault: this.#told.onFault },
      ).map(async (answer, index) => {
        const one = outgoing[index]
        if (!one) return
        const outcome = await answer
        this.#told.onAnswer(one.message.id, outcome)
        const decision = this.#afterSubmit(one, outcome)
        const answered = outcome.kind === 'uncertain' ? decision : ofHandOver(one.job, decision)
        // The carrier's answer cannot be learnt again, so storing it is tried for a while.
        await end(one.job, answered, { firmly: true })
      })
    } finally {
      if (counted > 0) this.#prepared(counted)
    }
  }

  /** Marks messages as handed over, and returns those that may be submitted. */
  async #handedOver(outgoing: readonly Outgoing[]): Promise<readonly Outgoing[]> {
    if (outgoing.length === 0) return []
    const now = this.#clock.now()
    for (const { job, message } of outgoing) {
      job.handedAt = now
      job.longRef ??= this.#references.next(message) ?? null
    }
    const jobs = outgoing.map(({ job }) => job)
    try {
      const held = await this.#database.write((tx) => markHandedOver(tx, jobs))
      return outgoing.filter(({ job }) => held.has(job.id))
    } catch (error) {
      // The mark may be stored all the same, and that nothing was submitted is known here alone.
      const again = jobs.map((job) => {
        const undone = { step: step(job, { kind: 'dispatch', runAt: this.#clock.now() }) }
        return this.#decisions.store(ofHandOver(job, undone), { firmly: true })
      })
      await Promise.all(again).catch(this.#told.onFault)
      throw error
    }
  }

  /** The parts of long messages that were taken by an earlier submission. */
  async #takenParts(outgoing: readonly Outgoing[]): Promise<Map<Ticket, number[]>> {
    const begun = outgoing.filter(({ job }) => job.carrierRef !== null).map(({ message }) => message.id)
    if (begun.length === 0) return new Map()
    const parts = await this.#database.read((tx) => partsOf(tx, begun))
    return new Map(
      [...parts].map(([ticket, stored]) => [
        ticket,
        stored.flatMap((one) => (one.carrier === this.#carrier.name ? one.part : [])),
      ]),
    )
  }

  /** Finds another way for the messages of a carrier that takes nothing, or lets them wait until it is back. */
  async #putOff(jobs: readonly Job[], end: End): Promise<Promise<void>[]> {
    const now = this.#clock.now()
    return (await withMessages(this.#database, jobs)).map((one) => {
      const { job, message } = one
      const lane = this.#elsewhere(one)
      if (lane !== undefined) return end(job, { step: step(job, { kind: 'dispatch', lane, runAt: now }) })
      const share = (now - message.createdAt) * AWAY_SHARE
      const pause = Math.min(Math.max(share, AWAY_LEAST_MS), AWAY_MOST_MS)
      const runAt = Math.min(now + Math.round(pause), job.expiresAt)
      return end(job, { step: step(job, { kind: 'dispatch', runAt }) })
    })
  }

  /** The next carrier that takes the message now. A carrier that has some of its parts must get the others too. */
  #elsewhere({ job, message }: Outgoing): string | undefined {
    if (job.carrierRef !== null) return undefined
    const ways = this.#choice.ways(message)
    const here = ways.indexOf(this.#carrier.name)
    return [...ways.slice(here + 1), ...ways.slice(0, Math.max(here, 0))].find((name) =>
      this.#choice.isUp(name),
    )
  }

  #afterSubmit(one: Outgoing, outcome: SubmitOutcome): Decision {
    if (outcome.kind !== 'accepted' && outcome.kind !== 'partly') return this.#afterRefusal(one, outcome)
    const { refs, parts } = outcome
    const { job, message } = one
    const carrierRef = joined(job.carrierRef, refs)
    const cost = costOf(message, {
      carrier: this.#carrier.name,
      unit: this.#choice.costOf(message, this.#carrier.name),
      parts,
      at: this.#clock.now(),
    })
    const took = { cost, refs: { carrier: this.#carrier.name, ticket: message.id, parts, refs } }
    if (outcome.kind === 'partly') {
      if (refs.length > 0) job.carrierRef = carrierRef
      return { ...this.#afterRefusal(one, outcome.rest), ...took }
    }
    const now = this.#clock.now()
    const runAt = now + this.#carrier.receiptExpectedMs
    return {
      step: step(job, { kind: 'await', runAt, attempts: 0, carrierRef, submittedAt: now }),
      ...took,
    }
  }

  #afterRefusal(one: Outgoing, refusal: Refusal): Decision {
    const { job } = one
    const now = this.#clock.now()
    const pause = this.#retryPlanMs[job.attempts]
    switch (refusal.kind) {
      case 'rejected':
        return { ending: decided(job, 'rejected', refusal.reason) }
      case 'uncertain': {
        this.#told.onUncertain(one.message.id)
        if (this.#carrier.unanswered === 'again' && pause !== undefined)
          return { step: step(job, { kind: 'dispatch', runAt: now + pause, attempts: job.attempts + 1 }) }
        // Without a reference there is nothing to ask the carrier, and a look would only get in the way of the operator's decision.
        const runAt = job.carrierRef === null ? job.expiresAt : now + this.#carrier.receiptExpectedMs
        return { step: step(job, { kind: 'await', runAt, attempts: 0, submittedAt: 0 }) }
      }
      case 'later': {
        const lane = this.#elsewhere(one)
        if (lane !== undefined) return { step: step(job, { kind: 'dispatch', lane, runAt: now }) }
        const runAt = Math.min(now + refusal.afterMs, job.expiresAt)
        return { step: step(job, { kind: 'dispatch', runAt }) }
      }
      case 'not_taken': {
        if (pause === undefined) {
          const reason = `Not taken by the carrier after ${job.attempts + 1} attempts: ${refusal.reason}`
          return { ending: decided(job, 'failed', reason) }
        }
        const lane = this.#elsewhere(one)
        // Another carrier may take it at once. After that, the pauses count: both may be in trouble.
        const wait = lane !== undefined && job.attempts === 0 ? 0 : pause
        const next = { runAt: now + wait, attempts: job.attempts + 1, lane: lane ?? job.lane }
        return { step: step(job, { kind: 'dispatch', ...next }) }
      }
    }
  }
}

/** Called with what comes of a hand-over. */
export interface Told {
  /** The carrier said this to a submission. */
  onAnswer(ticket: Ticket, outcome: SubmitOutcome): void
  /** No messages are on their way any more that the lane's capacity was lessened by. */
  onPrepared(): void
  /** A submission was not answered. */
  onUncertain(ticket: Ticket): void
  /** The carrier's code failed. Its answer then counts as unknown. */
  onFault(error: unknown): void
}

type End = (job: Job, decision: Decision, options?: { firmly: boolean }) => Promise<void>

/** The references of a message in one text, for its row and its job. */
function joined(before: string | null, refs: readonly PartRef[]): string | null {
  const all = [...(before === null ? [] : [before]), ...refs.map(({ ref }) => ref)]
  return all.length === 0 ? null : all.join(' ')
}
