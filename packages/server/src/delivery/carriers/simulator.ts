import { FAILURES } from '../../domain/failure-reasons.ts'
import type { Ticket } from '../../domain/ids.ts'
import { outcomeOf } from '../../domain/test-numbers.ts'
import type { Clock } from '../../platform/clock.ts'
import type {
  Asked,
  Carrier,
  CarrierEvents,
  CarrierVerdict,
  QueryOutcome,
  Receipt,
  Submission,
  SubmitOutcome,
} from '../carrier.ts'

/** What the simulator does wrong on purpose. All but the throttling are parts of a hundred, chosen by tickets. */
export interface Trouble {
  /** Takes no more than this many messages a second, and asks to wait for the rest; 0 for no limit. */
  throttle: number
  /** Takes the message and never answers. */
  unanswered: number
  /** Disconnects for a second, with all that is unanswered. */
  disconnect: number
  /** Forgets the receipt. */
  forget: number
}

const NO_TROUBLE: Trouble = { throttle: 0, unanswered: 0, disconnect: 0, forget: 0 }

export interface SimulatorOptions {
  name?: string
  clock: Clock
  /** How long a phone takes to answer. */
  delayMs: number
  /** How long the carrier takes to answer a submission. */
  answerMs: number
  /** Whether it answers queries about messages; not every carrier does. */
  canBeAsked: boolean
  trouble?: Trouble
}

const REASONS: Partial<Record<CarrierVerdict, string>> = {
  undelivered: FAILURES.simulatorUndelivered,
  expired: FAILURES.simulatorExpired,
}

const DISCONNECTED_MS = 1_000
/** Larger than any batch of the worker, which then decides how much is under way. */
const ROOM = 1_000_000

/**
 * A carrier without phones, for development: the last digits of a recipient decide how its message ends. The reference
 * encodes that outcome, so queries still work after a restart.
 */
export function createSimulator(options: SimulatorOptions): Carrier {
  const { name = 'simulator', clock, delayMs, answerMs, canBeAsked, trouble = NO_TROUBLE } = options
  let events: CarrierEvents | undefined
  const cancels = new Set<() => void>()
  /** Resolves the submissions that are being answered. */
  const answering = new Set<() => void>()
  let closed = false
  let away = false
  let disconnects = 0
  let rests = 0
  let second = 0
  let inSecond = 0

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
    if (receipts.length === 0) return
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
      events?.onReceipts(ready).catch((error: unknown) => {
        // Receipts not taken before the shutdown are queried after the next start.
        if (!closed) events?.onFault(error)
      })
    })
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

  function isThrottled(now: number): boolean {
    if (trouble.throttle === 0) return false
    if (Math.floor(now / 1_000) !== second) {
      second = Math.floor(now / 1_000)
      inSecond = 0
    }
    return ++inSecond > trouble.throttle
  }

  return {
    name,
    receiptExpectedMs: delayMs + 2_000,
    knowsTickets: true,
    receipts: 'each',
    unanswered: 'hold',
    room: () => (away ? 0 : ROOM),
    state: () => ({
      kind: away ? 'away' : 'up',
      reason: away ? 'It plays a carrier that has disconnected.' : '',
      inWindow: answering.size,
      rests,
      unreadable: 0,
      inbound: 0,
    }),

    start(given) {
      events = given
    },

    async submit(message) {
      if (away || closed) return { kind: 'later', reason: 'not connected', afterMs: DISCONNECTED_MS }
      if (isThrottled(clock.now())) {
        rests++
        return { kind: 'later', reason: 'throttled', afterMs: 1_000 }
      }
      const luck = luckOf(message.ticket)
      const before = disconnects
      if (luck < trouble.disconnect) disconnect()
      else if (answerMs > 0) await thinking()
      if (before !== disconnects || luck < trouble.disconnect + trouble.unanswered) {
        // One that can be asked would have to remember it.
        if (!canBeAsked && luck % 2 === 0) take(message)
        return { kind: 'uncertain' }
      }
      return take(message)
    },

    query: canBeAsked ? async (message) => queried(message, clock.now() - delayMs) : undefined,

    async close() {
      closed = true
      for (const cancel of cancels) cancel()
      cancels.clear()
      for (const answered of answering) answered()
    },
  }

  function take(message: Submission): SubmitOutcome {
    const { outcome, receipts, reordered } = submitOne(message, clock.now())
    if (luckOf(message.ticket) < 100 - trouble.forget) {
      deliver(receipts, delayMs)
      deliver(reordered, delayMs + 1)
    }
    return outcome
  }
}

/** A number below 100, always the same for a message. */
function luckOf(ticket: Ticket): number {
  let hash = 0
  for (let i = 0; i < ticket.length; i++) hash = (hash * 31 + ticket.charCodeAt(i)) >>> 0
  return hash % 100
}

function queried({ ticket, ref }: Asked, submittedBefore: number): QueryOutcome {
  if (ref === undefined) return { kind: 'never_received' }
  const verdict = verdictBy(ref, submittedBefore)
  return verdict === undefined
    ? { kind: 'under_way', ref }
    : { kind: 'final', receipt: receipt(ticket, ref, verdict) }
}

function submitOne({ ticket, recipient }: Submission, now: number) {
  const outcome = outcomeOf(recipient)
  const nothing = { receipts: [] as Receipt[], reordered: [] as Receipt[] }
  if (outcome === 'refused') return { outcome: rejected, ...nothing }
  if (outcome === 'never_taken') return { outcome: notTaken, ...nothing }
  const ref = `sim-${outcome}-${now}`
  const accepted: SubmitOutcome = { kind: 'accepted', refs: [{ part: 0, ref }], parts: 1 }
  if (outcome === 'silent') return { outcome: accepted, ...nothing }
  if (outcome !== 'repeated') {
    return { outcome: accepted, receipts: [receipt(ticket, ref, outcome)], reordered: [] }
  }
  const success = receipt(ticket, ref, 'success')
  const contrary = receipt(ticket, ref, 'undelivered')
  return { outcome: accepted, receipts: [success, success], reordered: [contrary, success] }
}

const rejected: SubmitOutcome = { kind: 'rejected', reason: FAILURES.simulatorRefused }
const notTaken: SubmitOutcome = { kind: 'not_taken', reason: 'the simulator takes nothing for this number' }

/** Reads `sim-<outcome>-<when>`: the verdict, or undefined before the delay has passed or when there is none. */
function verdictBy(ref: string, submittedBefore: number): CarrierVerdict | undefined {
  const [, outcome, at] = ref.split('-')
  if (Number(at) > submittedBefore) return undefined
  if (outcome === 'repeated') return 'success'
  return outcome === 'success' || outcome === 'undelivered' || outcome === 'expired' ? outcome : undefined
}

function receipt(ticket: Ticket, ref: string, verdict: CarrierVerdict): Receipt {
  const reason = REASONS[verdict]
  return { ticket, ref, verdict, ...(reason === undefined ? {} : { reason }) }
}
