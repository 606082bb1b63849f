import type {
  BookAsk,
  Entry,
  History,
  Operation,
  Outcome,
  Seen,
  SendAnswer,
  SendAsk,
  Taken,
} from '../history.ts'
import type { Violation } from './violation.ts'

/** Operations written by hand, on one wallet that begins with 1,000. A message costs 100. */
type Times = readonly [began: number, ended: number]

export const ok = <Value>(value: Value): Outcome<Value> => ({ is: 'ok', value })
export const failed = (code: string): Outcome<never> => ({ is: 'failed', code })
export const unknown: Outcome<never> = { is: 'unknown', why: 'the connection was lost' }

export const made = (...tickets: string[]): Outcome<SendAnswer> =>
  ok({ tickets, text: tickets.join(), replayed: false })
const repeated = (...tickets: string[]): Outcome<SendAnswer> =>
  ok({ tickets, text: tickets.join(), replayed: true })

const by = (id: number, [began, ended]: Times) => ({
  id,
  client: 0,
  gateway: 0,
  wallet: 'w',
  began,
  ended,
})

export function send(
  id: number,
  times: Times,
  ask: Pick<SendAsk, 'mark'> & Partial<SendAsk>,
  outcome: Outcome<SendAnswer>,
): Operation {
  const usual = { operation: 'sendSms', key: undefined, to: ['1'], price: 100, segments: 1 } as const
  return { ...by(id, times), kind: 'send', ask: { ...usual, ...ask }, outcome }
}

export function book(
  id: number,
  times: Times,
  ask: BookAsk,
  outcome: Outcome<{ repeated: boolean }>,
): Operation {
  return { ...by(id, times), kind: 'book', ask, outcome }
}

export function balance(id: number, times: Times, balance: number): Operation {
  return { ...by(id, times), kind: 'balance', ask: {}, outcome: ok({ balance }) }
}

/** A message that is not delivered costs nothing. */
export function seen(ticket: string, mark: string, status: string, more: Partial<Seen> = {}): Seen {
  return { ticket, mark, status, cost: 0, before: 1_000, after: 1_000, ...more }
}

export function status(id: number, times: Times, outcome: Outcome<Seen>, ticket = 't1'): Operation {
  return { ...by(id, times), kind: 'status', ask: { ticket }, outcome }
}

export function cancel(id: number, times: Times, outcome: Outcome<Seen>, ticket = 't2'): Operation {
  return { ...by(id, times), kind: 'cancel', ask: { ticket }, outcome }
}

export function search(id: number, times: Times, found: readonly Seen[], mark?: string): Operation {
  const ask = mark === undefined ? { whole: true } : { mark, whole: false }
  return { ...by(id, times), kind: 'search', ask, outcome: ok(found) }
}

export function ledger(id: number, times: Times, entries: readonly Entry[], whole = true): Operation {
  return { ...by(id, times), kind: 'ledger', ask: { whole }, outcome: ok(entries) }
}

export const DELIVERED = seen('t1', 'a', 'success', { cost: 100, before: 1_500, after: 1_400 })
export const CANCELLED = seen('t2', 's', 'cancelled')
export const OPENING: Entry = { seq: 1, kind: 'credit', amount: 1_000, before: 0, after: 1_000 }
export const CREDIT: Entry = { seq: 2, kind: 'credit', amount: 500, before: 1_000, after: 1_500 }
export const CHARGE: Entry = {
  seq: 3,
  kind: 'charge',
  amount: 100,
  before: 1_500,
  after: 1_400,
  ticket: 't1',
}

/** One message that is repeated and delivered, one that is cancelled before its time, and a credit. */
const RIGHT: readonly Operation[] = [
  send(1, [0, 10], { mark: 'a', key: 'k' }, made('t1')),
  send(2, [20, 30], { mark: 'a', key: 'k' }, repeated('t1')),
  send(3, [40, 50], { mark: 's', operation: 'scheduleSms', due: { at: 500, SendAt: '' } }, made('t2')),
  cancel(4, [60, 70], ok(CANCELLED)),
  status(5, [80, 90], ok(seen('t1', 'a', 'pending'))),
  book(6, [100, 110], { kind: 'credit', amount: 500, reference: 'r' }, ok({ repeated: false })),
  balance(7, [120, 130], 1_400),
  status(8, [140, 150], ok(DELIVERED)),
  balance(9, [1_000, 1_001], 1_400),
  search(10, [1_010, 1_011], [DELIVERED, CANCELLED]),
  ledger(11, [1_020, 1_021], [CHARGE, CREDIT, OPENING]),
]

const TAKEN: readonly Taken[] = [{ mark: 'a', destination: '1', part: 1 }]

/** A history without fault, but for the operations given: each replaces that of its id, or is added. */
export function historyWith(operations: readonly Operation[] = [], taken = TAKEN): History {
  const changed = new Map([...RIGHT, ...operations].map((each) => [each.id, each]))
  return {
    seed: 0,
    wallets: [{ name: 'w', opening: 1_000 }],
    operations: [...changed.values()],
    quietFrom: 900,
    taken,
  }
}

/** The violations that a rule finds in a history with these operations, in words. */
export function troublesBy(rule: (history: History) => readonly Violation[]) {
  return (...operations: Operation[]) => rule(historyWith(operations)).map(({ what }) => what)
}
