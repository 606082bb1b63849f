import { hash } from 'node:crypto'
import { FAILURES } from '../../domain/failure-reasons.ts'
import type { Ticket } from '../../domain/ids.ts'
import { outcomeOf } from '../../domain/test-numbers.ts'
import type { Clock } from '../../platform/clock.ts'
import type {
  Carrier,
  CarrierEvents,
  CarrierVerdict,
  Receipt,
  Submission,
  SubmitOutcome,
  SubmittedPart,
} from '../carrier.ts'
import { createTurns } from './request-turns.ts'

/** What the simulator does wrong on purpose, in parts of a hundred messages. */
export interface Trouble {
  /** Never answers. Half of these messages it takes all the same. */
  unanswered: number
  /** Disconnects for a second, with all that is unanswered. */
  disconnect: number
  /** Loses the receipt. */
  forget: number
  /** Sends the receipt before it answers. */
  early: number
  /** Sends the receipt only after the gateway has asked for it. */
  late: number
  /** Sends the receipt again a second later. */
  twice: number
}

const NO_TROUBLE: Trouble = { unanswered: 0, disconnect: 0, forget: 0, early: 0, late: 0, twice: 0 }

export interface SimulatorOptions {
  name?: string
  clock: Clock
  /** From 0 to 1. */
  random(): number
  /** How long a phone takes to answer. */
  delayMs: number
  /** How long the carrier takes to answer a submission. */
  answerMs: number
  /** Submissions without an answer at a time. */
  window: number
  /** Submissions a second; 0 for no limit. */
  tps: number
  trouble?: Trouble
}

const REASONS: Partial<Record<CarrierVerdict, string>> = {
  undelivered: FAILURES.simulatorUndelivered,
  expired: FAILURES.simulatorExpired,
}

const DISCONNECTED_MS = 1_000
/** A submission that has found no turn within this time comes later. */
const TURN_MS = 10_000
/** The gateway asks for a receipt that is overdue by this much; late ones take longer. */
const OVERDUE_MS = 2_000
const LATE_MS = 5_000
const AGAIN_MS = 1_000

/**
 * A carrier without phones, for development: the last digits of a recipient decide how its message ends. Like others it
 * knows messages by its own references alone. They encode the end and its time, so queries still work after a restart.
 */
export function createSimulator(options: SimulatorOptions): Carrier {
  const { name = 'simulator', clock, random, delayMs, answerMs, window, tps, trouble = NO_TROUBLE } = options
  const turns = createTurns({ clock, window, tps, waitMs: TURN_MS, onFree: () => events?.onChange() })
  /** References differ from those of other processes and of earlier runs by this. */
  const run = Math.floor(random() * 36 ** 8).toString(36)
  let taken = 0
  let events: CarrierEvents | undefined
  const cancels = new Set<() => void>()
  /** Resolves the submissions that are being answered. */
  const answering = new Set<() => void>()
  let closed = false
  let away = false
  let disconnects = 0

  function later(afterMs: number, work: () => void): void {
    const cancel = clock.after(afterMs, () => {
      cancels.delete(cancel)
      work()
    })
    cancels.add(cancel)
  }

  /** Receipts that are due at the same time are delivered together. */
  const due = new Map<number, Receipt[]>()

  function deliver(receipts: readonly Receipt[], afterMs: number): void {
    const at = clock.now() + afterMs
    const waiting = due.get(at)
    if (waiting) {
      waiting.push(...receipts)
      return
    }
    due.set(at, [...receipts])
    later(afterMs, () => {
      const ready = due.get(at) ?? []
      due.delete(at)
      void tell(ready)
    })
  }

  async function tell(receipts: readonly Receipt[]): Promise<void> {
    try {
      await events?.onReceipts(receipts)
    } catch (error) {
      // Receipts not taken before the shutdown are queried after the next start.
      if (!closed) events?.onFault(error)
    }
  }

  /** Waits for the answer. Resolves early when the connection breaks. */
  function thinking(): Promise<void> {
    return new Promise((resolve) => {
      const answered = () => {
        answering.delete(answered)
        resolve()
      }
      answering.add(answered)
      later(answerMs, answered)
    })
  }

  function disconnect(): void {
    away = true
    disconnects++
    for (const answered of answering) answered()
    events?.onChange()
    later(DISCONNECTED_MS, () => {
      away = false
      events?.onChange()
    })
  }

  /** Always the same for a message. */
  function has(what: keyof Trouble, ticket: Ticket): boolean {
    return trouble[what] > 0 && luckOf(what, ticket) < trouble[what]
  }

  async function answer(message: Submission): Promise<SubmitOutcome> {
    const { ticket } = message
    const before = disconnects
    if (has('disconnect', ticket)) disconnect()
    else if (answerMs > 0) await thinking()
    if (before === disconnects && !has('unanswered', ticket)) return take(message)
    if (luckOf('taken', ticket) < 50) void take(message)
    return { kind: 'uncertain' }
  }

  async function take({ ticket, recipient }: Submission): Promise<SubmitOutcome> {
    const outcome = outcomeOf(recipient)
    if (outcome === 'refused') return { kind: 'rejected', reason: FAILURES.simulatorRefused }
    if (outcome === 'never_taken')
      return { kind: 'not_taken', reason: 'the simulator takes nothing for this number' }
    const isEarly = has('early', ticket)
    const afterMs = isEarly ? 0 : delayMs + (has('late', ticket) ? LATE_MS : 0)
    const ref = `sim-${outcome}-${clock.now() + afterMs}-${run}${(taken++).toString(36)}`
    const receipts = receiptsFor(outcome, ref)
    if (receipts.length > 0 && !has('forget', ticket)) {
      if (isEarly) await tell(receipts)
      else deliver(receipts, afterMs)
      if (has('twice', ticket)) deliver(receipts, afterMs + AGAIN_MS)
    }
    return { kind: 'accepted', refs: [{ part: 0, ref }], parts: 1 }
  }

  return {
    name,
    receiptExpectedMs: delayMs + OVERDUE_MS,
    receipts: 'each',
    unanswered: 'hold',
    capacity: () => (away ? 0 : turns.free()),
    state: () => ({
      kind: away ? 'away' : 'up',
      reason: away ? 'It plays a carrier that has disconnected.' : '',
      inWindow: turns.running(),
      ...{ rests: 0, unreadable: 0, inbound: 0 },
    }),

    start(given) {
      events = given
    },

    async submit(message) {
      const turn = await turns.enter()
      if (turn.kind === 'later') return { ...turn, afterMs: DISCONNECTED_MS }
      try {
        if (away || closed) return { kind: 'later', reason: 'not connected', afterMs: DISCONNECTED_MS }
        return await answer(message)
      } finally {
        turns.leave()
      }
    },

    query: async (asked) => queried(asked, clock.now()),

    async close() {
      closed = true
      turns.sendAway('not connected')
      for (const cancel of cancels) cancel()
      cancels.clear()
      for (const answered of answering) answered()
    },
  }
}

/** A number below 100, always the same for a message. */
function luckOf(what: string, ticket: Ticket): number {
  return hash('sha1', `${what} ${ticket}`, 'buffer').readUInt32BE() % 100
}

/** All that is said of a message. */
function receiptsFor(outcome: string, ref: string): Receipt[] {
  const verdict = verdictOf(outcome)
  if (verdict === undefined) return []
  const first = receipt(ref, verdict)
  return outcome === 'repeated' ? [first, first, receipt(ref, 'undelivered'), first] : [first]
}

/** Reads `sim-<outcome>-<when>-<which>`. */
function queried({ ref }: SubmittedPart, now: number): Receipt | undefined {
  const [, outcome = '', at] = ref.split('-')
  const verdict = Number(at) <= now ? verdictOf(outcome) : undefined
  return verdict && receipt(ref, verdict)
}

/** How a message ends; undefined for one of which its phone says nothing. */
function verdictOf(outcome: string): CarrierVerdict | undefined {
  if (outcome === 'repeated') return 'success'
  return outcome === 'success' || outcome === 'undelivered' || outcome === 'expired' ? outcome : undefined
}

function receipt(ref: string, verdict: CarrierVerdict): Receipt {
  const reason = REASONS[verdict]
  return { ref, verdict, ...(reason === undefined ? {} : { reason }) }
}
