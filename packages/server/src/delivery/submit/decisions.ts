import type { Backlog } from '../../flow/backlog.ts'
import { Batch, type Outcome, storeHalving } from '../../flow/batch.ts'
import { type Due, dueOf } from '../../flow/jobs/claim.ts'
import {
  finishedClaim,
  type Job,
  type LaneName,
  lastClaimsOf,
  NEXT_STEP,
  type NextStep,
  storingWork,
} from '../../flow/jobs/outbox.ts'
import type { Ticket } from '../../kernel/ids.ts'
import type { OutgoingMessage } from '../../kernel/message.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import { type Ending, type EndMessages, outgoingMessages } from '../../messages/index.ts'
import { CommitUncertain, type Database, type Tx } from '../../store/database.ts'
import { updateRows } from '../../store/rows.ts'
import { failedTickets } from '../finish/end-messages.ts'
import type { TakeVerdicts } from '../finish/receipts.ts'
import { storeTaken, type TakenRefs } from './costs.ts'

/** The result of a message's job: its next step or the end of its message, and what the carrier took. */
export type Decision = ({ step: MessageStep } | { ending: Ending }) & TakenRefs

/** A message's job. */
interface MessageJob extends Job {
  /** The message to send, if it is already loaded. */
  message?: OutgoingMessage
}

/** A message's job, with its message. */
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

/** The next step of a message's job, with what is known of its submission. */
export type MessageStep = NextStep & Pick<Job, 'carrierRef' | 'submittedAt'> & Pick<Ending, 'ofHandOver'>

/** A step raises the epoch, so that an older claim can move nothing after it. */
const MESSAGE_STEP = {
  by: ['id'],
  either: ['epoch', 'handedAt'],
  set: [...NEXT_STEP.set, 'carrierRef', 'submittedAt'],
  also: 'epoch = outbox.epoch + 1',
} as const

/** Moves messages to their next step. Skips those that another process has claimed since, unless a carrier answered. */
export async function rescheduleMessages(tx: Tx, steps: readonly MessageStep[]): Promise<void> {
  const rows = steps.map((step) => ({ ...step, ...finishedClaim(step), handedAt: step.ofHandOver ?? null }))
  await updateRows(tx, tx.t.outbox, rows, MESSAGE_STEP)
}

/**
 * Records that claimed messages are about to be submitted to a carrier: from here on they wait for receipts. Keeps the
 * time, and the references of long messages. Only those that this process still holds may be submitted.
 */
export const markHandedOver = storingWork('await', ['handedAt', 'longRef'])

/**
 * Something that a job decides, under its claim of the moment when that is stored: one that ended while storing was tried
 * may have been followed by another of this process, which makes no other decision.
 */
function underClaimOf<T extends object>(job: Job, what: T): T & Pick<Job, 'epoch'> {
  return {
    ...what,
    get epoch() {
      return job.epoch
    },
  }
}

/** The job's next step: as it is now, with changes. */
export function step(
  job: Job,
  next: Partial<Omit<MessageStep, 'epoch'>> & Pick<NextStep, 'kind' | 'runAt'>,
): MessageStep {
  const { id, lane, owner, attempts, carrierRef, submittedAt } = job
  return underClaimOf(job, { id, lane, owner, attempts, carrierRef, submittedAt, lapsed: false, ...next })
}

/** An ending decided by a job rather than by a receipt. */
export function decided(job: Job, status: Ending['status'], reason: string): Ending {
  const { id, carrierRef, submittedAt } = job
  const ending = { ticket: id as Ticket, status, carrierRef: carrierRef ?? '', submittedAt, reason }
  return underClaimOf(job, ending)
}

/**
 * Only this process knows how a hand-over went. So its decision counts until the message is handed over again, even if
 * another process has claimed it meanwhile.
 */
export function ofHandOver(job: Job, decision: Decision): Decision {
  const of = { ofHandOver: job.handedAt }
  return 'step' in decision
    ? { ...decision, step: underClaimOf(job, { ...decision.step, ...of }) }
    : { ...decision, ending: underClaimOf(job, { ...decision.ending, ...of }) }
}

export function expired(job: Job, reason: string): Decision {
  return { ending: decided(job, 'expired', reason) }
}

const MOST_TOGETHER = 512
/** How long a carrier's answer is kept in memory while it cannot be stored: it cannot be learnt again. */
const KEEP_TRYING_MS = 5 * MINUTE_MS
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

/** Stores decisions about messages. Decisions made together are committed together. */
export class Decisions {
  readonly #database: Database
  readonly #clock: Clock
  readonly #takeVerdicts: TakeVerdicts
  readonly #notify: (lane: LaneName, jobs: readonly Due[]) => void
  readonly #onFault: (error: unknown) => void
  readonly #steps: Batch<Decision, void>
  readonly #endings: Batch<Ending, void>
  /** Decisions that may be stored already, because the answer to a commit was lost. */
  readonly #inDoubt = new WeakSet<Decision>()
  #finishing = false
  /** Ends the pauses between tries. */
  readonly #pauses = new Set<() => void>()
  readonly #underWay = new Set<Promise<void>>()

  constructor(parts: {
    database: Database
    clock: Clock
    endMessages: EndMessages
    /** Takes the verdicts that came before their references. */
    takeVerdicts: TakeVerdicts
    /** How long to gather decisions for one commit. */
    gatherMs: number
    /** Called when jobs of a lane were rescheduled. */
    notify(lane: LaneName, jobs: readonly Due[]): void
    backlog?: Pick<Backlog, 'add'> | undefined
    onFault(error: unknown): void
  }) {
    const { endMessages, gatherMs, backlog } = parts
    this.#database = parts.database
    this.#clock = parts.clock
    this.#takeVerdicts = parts.takeVerdicts
    this.#notify = parts.notify
    this.#onFault = parts.onFault
    const together = {
      weigh: () => 1,
      maxWeight: MOST_TOGETHER,
      gatherMs,
      backlog,
      maxWaiting: { weight: 100_000, error: () => new Error('too many decisions wait to be stored') },
    }
    this.#steps = new Batch({ ...together, run: storeHalving((decisions) => this.#storeAll(decisions)) })
    this.#endings = new Batch({
      ...together,
      async run(endings) {
        const failed = await endMessages(endings).catch(failedTickets)
        return endings.map(
          ({ ticket }): Outcome<void> =>
            failed?.tickets.has(ticket) ? { error: failed } : { value: undefined },
        )
      },
    })
  }

  /** Stores a decision. With `firmly`, tries again for a while when that fails. */
  async store(decision: Decision, { firmly } = { firmly: false }): Promise<void> {
    const storing = this.#storeNow(decision, firmly)
    this.#underWay.add(storing)
    try {
      await storing
    } finally {
      this.#underWay.delete(storing)
    }
  }

  /** Gives up trying again, and resolves when what is under way is stored or lost. */
  async finish(): Promise<void> {
    this.#finishing = true
    for (const end of this.#pauses) end()
    await Promise.allSettled(this.#underWay)
  }

  async #storeNow(decision: Decision, firmly: boolean): Promise<void> {
    if ('step' in decision || decision.refs) await this.#keepTrying(() => this.#steps.add(decision), firmly)
    if ('ending' in decision) await this.#keepTrying(() => this.#endings.add(decision.ending), firmly)
  }

  async #storeAll(decisions: readonly Decision[]): Promise<void> {
    const steps = decisions.flatMap((each) => ('step' in each ? [each.step] : []))
    const now = this.#clock.now()
    const work = async (tx: Tx) => {
      await rescheduleMessages(tx, steps)
      const forgotten = await this.#storedAndForgotten(tx, decisions)
      const taken = decisions.filter(({ refs }) => refs && !forgotten.has(refs.ticket))
      return storeTaken(tx, taken, now)
    }
    const { early } = await this.#database.write(work, { patient: true }).catch((error: unknown) => {
      if (error instanceof CommitUncertain) for (const each of decisions) this.#inDoubt.add(each)
      throw error
    })
    for (const [first, ...others] of Map.groupBy(steps, ({ kind, lane }) => `${kind}/${lane}`).values())
      if (first) this.#notify(first, [first, ...others].map(dueOf))
    // Their receipts were acknowledged long ago. If this fails, the message's next look finds the verdicts.
    if (early.length > 0) await this.#takeVerdicts(early).catch(this.#onFault)
  }

  /** Messages in doubt that a receipt has ended: it found their references, so these were stored. */
  async #storedAndForgotten(tx: Tx, decisions: readonly Decision[]): Promise<Set<Ticket>> {
    const tickets = decisions.flatMap((each) =>
      each.refs && this.#inDoubt.has(each) ? [each.refs.ticket] : [],
    )
    const left = await lastClaimsOf(tx, tickets)
    return new Set(tickets.filter((ticket) => !left.has(ticket)))
  }

  async #keepTrying(work: () => Promise<void>, firmly: boolean): Promise<void> {
    const startedAt = this.#clock.elapsed()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        if (!firmly || this.#finishing || this.#clock.elapsed() - startedAt > KEEP_TRYING_MS) throw error
        if (pause === FIRST_PAUSE_MS) this.#onFault(error)
        await this.#pause(pause)
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#pauses.delete(end)
        resolve()
      }
      this.#pauses.add(end)
      this.#clock.after(ms, end)
    })
  }
}
