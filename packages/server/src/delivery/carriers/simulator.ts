import { hash } from 'node:crypto'
import type { Ticket } from '../../kernel/ids.ts'
import { FAILURES } from '../../kernel/message.ts'
import { outcomeOf } from '../../kernel/phone/test-numbers.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type {
  Carrier,
  CarrierEvents,
  CarrierState,
  CarrierVerdict,
  Receipt,
  Submission,
  SubmitOutcome,
  SubmittedPart,
} from '../carrier.ts'
import { RequestTurns } from './request-turns.ts'

/** Trouble that the simulator makes on purpose, in parts of a hundred messages. */
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

/** How the simulator behaves. */
export interface Simulated {
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
export class Simulator implements Carrier {
  readonly name: string
  readonly receiptExpectedMs: number
  readonly receipts = 'each'
  readonly unanswered = 'hold'
  readonly query = async (asked: SubmittedPart) => queried(asked, this.#clock.now())
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #answerMs: number
  readonly #trouble: Trouble
  readonly #turns: RequestTurns
  /** References differ from those of other processes and of earlier runs by this. */
  readonly #run: string
  #taken = 0
  #events: CarrierEvents | undefined
  readonly #cancels = new Set<() => void>()
  /** Resolves the submissions that are being answered. */
  readonly #answering = new Set<() => void>()
  /** Receipts that are due at the same time are delivered together. */
  readonly #due = new Map<number, Receipt[]>()
  #closed = false
  #away = false
  #disconnects = 0

  constructor(
    { clock, random, name = 'simulator' }: { clock: Clock; random(): number; name?: string },
    { delayMs, answerMs, window, tps, trouble = NO_TROUBLE }: Simulated,
  ) {
    this.name = name
    this.receiptExpectedMs = delayMs + OVERDUE_MS
    this.#clock = clock
    this.#delayMs = delayMs
    this.#answerMs = answerMs
    this.#trouble = trouble
    this.#turns = new RequestTurns({
      clock,
      window,
      tps,
      waitMs: TURN_MS,
      onFree: () => this.#events?.onChange(),
    })
    this.#run = Math.floor(random() * 36 ** 8).toString(36)
  }

  capacity(): number {
    return this.#away ? 0 : this.#turns.free()
  }

  state(): CarrierState {
    return {
      kind: this.#away ? 'away' : 'up',
      reason: this.#away ? 'It plays a carrier that has disconnected.' : '',
      inWindow: this.#turns.running,
      rests: 0,
      unreadable: 0,
      inbound: 0,
    }
  }

  start(events: CarrierEvents): void {
    this.#events = events
  }

  async submit(message: Submission): Promise<SubmitOutcome> {
    const turn = await this.#turns.enter()
    if (turn.kind === 'later') return { ...turn, afterMs: DISCONNECTED_MS }
    try {
      if (this.#away || this.#closed)
        return { kind: 'later', reason: 'not connected', afterMs: DISCONNECTED_MS }
      return await this.#answer(message)
    } finally {
      this.#turns.leave()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#turns.sendAway('not connected')
    for (const cancel of this.#cancels) cancel()
    this.#cancels.clear()
    for (const answered of this.#answering) answered()
  }

  async #answer(message: Submission): Promise<SubmitOutcome> {
    const { ticket } = message
    const before = this.#disconnects
    if (this.#has('disconnect', ticket)) this.#disconnect()
    else if (this.#answerMs > 0) await this.#thinking()
    if (before === this.#disconnects && !this.#has('unanswered', ticket)) return this.#take(message)
    if (luckOf('taken', ticket) < 50) void this.#take(message)
    return { kind: 'uncertain' }
  }

  async #take({ ticket, recipient }: Submission): Promise<SubmitOutcome> {
    const outcome = outcomeOf(recipient)
    if (outcome === 'refused') return { kind: 'rejected', reason: FAILURES.simulatorRefused }
    if (outcome === 'never_taken')
      return { kind: 'not_taken', reason: 'the simulator takes nothing for this number' }
    const isEarly = this.#has('early', ticket)
    const afterMs = isEarly ? 0 : this.#delayMs + (this.#has('late', ticket) ? LATE_MS : 0)
    const at = this.#clock.now() + afterMs
    const ref = `sim-${outcome}-${at}-${this.#run}${(this.#taken++).toString(36)}`
    const receipts = receiptsFor(outcome, ref)
    if (receipts.length > 0 && !this.#has('forget', ticket)) {
      if (isEarly) await this.#tell(receipts)
      else this.#deliver(receipts, afterMs)
      if (this.#has('twice', ticket)) this.#deliver(receipts, afterMs + AGAIN_MS)
    }
    return { kind: 'accepted', refs: [{ part: 0, ref }], parts: 1 }
  }

  #later(afterMs: number, work: () => void): void {
    const cancel = this.#clock.after(afterMs, () => {
      this.#cancels.delete(cancel)
      work()
    })
    this.#cancels.add(cancel)
  }

  #deliver(receipts: readonly Receipt[], afterMs: number): void {
    const at = this.#clock.now() + afterMs
    const waiting = this.#due.get(at)
    if (waiting) {
      waiting.push(...receipts)
      return
    }
    this.#due.set(at, [...receipts])
    this.#later(afterMs, () => {
      const ready = this.#due.get(at) ?? []
      this.#due.delete(at)
      void this.#tell(ready)
    })
  }

  async #tell(receipts: readonly Receipt[]): Promise<void> {
    try {
      await this.#events?.onReceipts(receipts)
    } catch (error) {
      // Receipts not taken before the shutdown are queried after the next start.
      if (!this.#closed) this.#events?.onFault(error)
    }
  }

  /** Waits for the answer. Resolves early when the connection breaks. */
  #thinking(): Promise<void> {
    return new Promise((resolve) => {
      const answered = () => {
        this.#answering.delete(answered)
        resolve()
      }
      this.#answering.add(answered)
      this.#later(this.#answerMs, answered)
    })
  }

  #disconnect(): void {
    this.#away = true
    this.#disconnects++
    for (const answered of this.#answering) answered()
    this.#events?.onChange()
    this.#later(DISCONNECTED_MS, () => {
      this.#away = false
      this.#events?.onChange()
    })
  }

  /** Always the same for a message. */
  #has(what: keyof Trouble, ticket: Ticket): boolean {
    return this.#trouble[what] > 0 && luckOf(what, ticket) < this.#trouble[what]
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
