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

export interface ExchangesOptions {
  /** Monotonic milliseconds. */
  elapsed(): number
  /** A queued message is given back after this time; later parts of a begun one, after ten times that. */
  writtenWithinMs: number
  responseMs: number
}

/** The requests of one connection: those that wait for their turn, and those that wait for an answer. */
export interface Exchanges {
  readonly queued: number
  readonly unanswered: number
  add(exchange: Exchange): void
  /** Removes the oldest that waits for its turn. */
  next(): Exchange | undefined
  sent(sequence: number, exchange: Exchange): void
  /** Returns when the request was sent; undefined when it is unknown or was given up. */
  answer(sequence: number, pdu: Pdu): number | undefined
  /** Gives up what has waited for too long. */
  expire(): void
  giveBack(reason: string, afterMs: number): void
  /** The connection is lost: what was sent may have arrived. */
  lose(): void
  /** How many were answered in the last second, roughly. */
  answeredLately(): number
}

/** How many requests without an answer are remembered, in case it comes late. */
const MOST_OVERDUE = 10_000
const SECOND = 1_000

export function createExchanges({ elapsed, writtenWithinMs, responseMs }: ExchangesOptions): Exchanges {
  let queue: { exchange: Exchange; since: number }[] = []
  let head = 0
  const pending = new Map<number, { exchange: Exchange; since: number }>()
  const overdue = new Map<number, Exchange>()
  let slot = { began: elapsed(), count: 0, before: 0 }

  function count(): void {
    turn()
    slot.count++
  }

  function turn(): void {
    const age = elapsed() - slot.began
    if (age < SECOND) return
    slot = { began: elapsed(), count: 0, before: age < 2 * SECOND ? slot.count : 0 }
  }

  function next(): Exchange | undefined {
    const first = queue[head]
    if (!first) return undefined
    head++
    // Shifts rarely: each shift would move the whole queue.
    if (head === queue.length || head > 1_000) {
      queue = queue.slice(head)
      head = 0
    }
    return first.exchange
  }

  /** Takes out of the queue what has waited for too long: the parts of a message together. */
  function overdueInQueue(now: number): Exchange[] {
    let isOverdue = false
    const { overdue = [], inTime = [] } = Object.groupBy(queue.slice(head), ({ exchange, since }) => {
      const waited = now - since
      isOverdue = exchange.continues ? isOverdue || waited >= 10 * writtenWithinMs : waited >= writtenWithinMs
      return isOverdue ? 'overdue' : 'inTime'
    })
    if (overdue.length > 0) [queue, head] = [inTime, 0]
    return overdue.map(({ exchange }) => exchange)
  }

  return {
    get queued() {
      return queue.length - head
    },
    get unanswered() {
      return pending.size
    },
    add(exchange) {
      queue.push({ exchange, since: elapsed() })
    },
    next,
    sent(sequence, exchange) {
      pending.set(sequence, { exchange, since: elapsed() })
    },
    answer(sequence, pdu) {
      const found = pending.get(sequence)
      if (!found) {
        const late = overdue.get(sequence)
        overdue.delete(sequence)
        late?.late?.(pdu)
        return undefined
      }
      pending.delete(sequence)
      count()
      found.exchange.resolve({ kind: 'answered', pdu })
      return found.since
    },
    expire() {
      const now = elapsed()
      for (const exchange of overdueInQueue(now))
        exchange.resolve({ kind: 'unsent', reason: 'its turn did not come in time', afterMs: SECOND })
      // In the order in which they were sent.
      for (const [sequence, { exchange, since }] of pending) {
        if (now - since < responseMs) break
        pending.delete(sequence)
        overdue.set(sequence, exchange)
        for (const oldest of overdue.keys()) {
          if (overdue.size <= MOST_OVERDUE) break
          overdue.delete(oldest)
        }
        exchange.resolve({ kind: 'unanswered', sentAt: since })
      }
    },
    giveBack(reason, afterMs) {
      const all = queue.slice(head)
      queue = []
      head = 0
      for (const { exchange } of all) exchange.resolve({ kind: 'unsent', reason, afterMs })
    },
    lose() {
      const all = [...pending.values()]
      pending.clear()
      overdue.clear()
      for (const { exchange } of all) exchange.resolve({ kind: 'lost' })
    },
    answeredLately() {
      turn()
      return Math.max(slot.count, slot.before)
    },
  }
}
