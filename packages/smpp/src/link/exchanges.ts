import type { Pdu } from '../codec/pdu.ts'

/** How a request ended. */
export type Reply =
  | { kind: 'answered'; pdu: Pdu }
  /** It never left. */
  | { kind: 'unsent'; reason: string; afterMs: number }
  /** It cannot be written at all. */
  | { kind: 'unwritable'; reason: string }
  /** It left, and no answer came in time. */
  | { kind: 'unanswered'; sentAt: number }
  /** It left, and the connection is lost. */
  | { kind: 'lost' }

/** A request to the peer. */
export interface Exchange {
  /** It goes on with the message of the request before it. */
  readonly continues: boolean
  encode(sequence: number): Buffer
  /** Called once. */
  resolve(reply: Reply): void
  /** An answer that came after the request was given up. */
  late?(pdu: Pdu): void
}

export interface Patience {
  /** Monotonic milliseconds. */
  elapsed(): number
  /** A queued message is given back after this time; later parts of a begun one, after ten times that. */
  writtenWithinMs: number
  responseMs: number
}

interface Waiting {
  exchange: Exchange
  since: number
}

/** How many requests without an answer are remembered, in case it comes late. */
const MOST_OVERDUE = 10_000
const SECOND = 1_000

/** The requests of one connection: those that wait for their turn, and those that wait for an answer. */
export class Exchanges {
  readonly #patience: Patience
  #queue: Waiting[] = []
  #head = 0
  /** In the order in which they were sent. */
  readonly #pending = new Map<number, Waiting>()
  readonly #overdue = new Map<number, Exchange>()
  #second: { began: number; count: number; before: number }

  constructor(patience: Patience) {
    this.#patience = patience
    this.#second = { began: patience.elapsed(), count: 0, before: 0 }
  }

  get queued(): number {
    return this.#queue.length - this.#head
  }

  get unanswered(): number {
    return this.#pending.size
  }

  /** How many were answered in the last second, roughly. */
  answeredLately(): number {
    this.#turnSecond()
    return Math.max(this.#second.count, this.#second.before)
  }

  add(exchange: Exchange): void {
    this.#queue.push({ exchange, since: this.#patience.elapsed() })
  }

  /** Removes the oldest that waits for its turn. */
  next(): Exchange | undefined {
    const first = this.#queue[this.#head]
    if (!first) return undefined
    this.#head++
    // Shifts rarely: each shift would move the whole queue.
    if (this.#head === this.#queue.length || this.#head > 1_000) this.#setQueue(this.#queue.slice(this.#head))
    return first.exchange
  }

  sent(sequence: number, exchange: Exchange): void {
    this.#pending.set(sequence, { exchange, since: this.#patience.elapsed() })
  }

  /** Returns when the request was sent; undefined when it is unknown or was given up. */
  answer(sequence: number, pdu: Pdu): number | undefined {
    const found = this.#pending.get(sequence)
    if (!found) {
      const late = this.#overdue.get(sequence)
      this.#overdue.delete(sequence)
      late?.late?.(pdu)
      return undefined
    }
    this.#pending.delete(sequence)
    this.#turnSecond()
    this.#second.count++
    found.exchange.resolve({ kind: 'answered', pdu })
    return found.since
  }

  /** Gives up what has waited for too long. */
  expire(): void {
    const now = this.#patience.elapsed()
    for (const exchange of this.#overdueInQueue(now))
      exchange.resolve({ kind: 'unsent', reason: 'its turn did not come in time', afterMs: SECOND })
    for (const [sequence, { exchange, since }] of this.#pending) {
      if (now - since < this.#patience.responseMs) break
      this.#pending.delete(sequence)
      this.#remember(sequence, exchange)
      exchange.resolve({ kind: 'unanswered', sentAt: since })
    }
  }

  giveBack(reason: string, afterMs: number): void {
    const all = this.#queue.slice(this.#head)
    this.#setQueue([])
    for (const { exchange } of all) exchange.resolve({ kind: 'unsent', reason, afterMs })
  }

  /** The connection is lost: what was sent may have arrived. */
  lose(): void {
    const all = [...this.#pending.values()]
    this.#pending.clear()
    this.#overdue.clear()
    for (const { exchange } of all) exchange.resolve({ kind: 'lost' })
  }

  #turnSecond(): void {
    const { began, count } = this.#second
    const now = this.#patience.elapsed()
    const age = now - began
    if (age >= SECOND) this.#second = { began: now, count: 0, before: age < 2 * SECOND ? count : 0 }
  }

  #setQueue(queue: Waiting[]): void {
    this.#queue = queue
    this.#head = 0
  }

  #remember(sequence: number, exchange: Exchange): void {
    this.#overdue.set(sequence, exchange)
    for (const oldest of this.#overdue.keys()) {
      if (this.#overdue.size <= MOST_OVERDUE) break
      this.#overdue.delete(oldest)
    }
  }

  /** Takes out of the queue what has waited for too long: the parts of a message together. */
  #overdueInQueue(now: number): Exchange[] {
    const { writtenWithinMs } = this.#patience
    let isOverdue = false
    const { overdue = [], inTime = [] } = Object.groupBy(
      this.#queue.slice(this.#head),
      ({ exchange, since }) => {
        const waited = now - since
        isOverdue = exchange.continues
          ? isOverdue || waited >= 10 * writtenWithinMs
          : waited >= writtenWithinMs
        return isOverdue ? 'overdue' : 'inTime'
      },
    )
    if (overdue.length > 0) this.#setQueue(inTime)
    return overdue.map(({ exchange }) => exchange)
  }
}
