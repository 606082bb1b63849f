import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Clients' records of their requests and answers. All times are milliseconds of one monotonic clock, and all
 * amounts are micros. The checker knows nothing else.
 */
export interface History {
  seed: number
  wallets: readonly WalletStart[]
  operations: readonly Operation[]
  /** After this time nothing was under way any more, and everything that was asked was a read. */
  quietFrom: number
  /** The carrier's own record of the parts that it took. */
  taken: readonly Taken[]
}

export interface WalletStart {
  name: string
  opening: number
}

/** A part of a message that the carrier wrote down before it answered. */
export interface Taken {
  mark: string
  destination: string
  part: number
}

/**
 * `ok`: answered with success. `failed`: answered with a refusal, so it had no effect; `unreached` when no gateway
 * listened. `unknown`: it may have had its effect, may still have it, or may never have it.
 */
export type Outcome<Value> =
  | { is: 'ok'; value: Value }
  | { is: 'failed'; code: string }
  | { is: 'unknown'; why: string }

interface Asked<Kind extends string, Ask, Value> {
  id: number
  kind: Kind
  client: number
  /** The gateway that was asked; -1 for the operator's own connection. */
  gateway: number
  wallet: string
  began: number
  ended: number
  ask: Ask
  outcome: Outcome<Value>
}

export type SendOperation = 'sendSms' | 'sendBulkSms' | 'scheduleSms'

export interface SendAsk {
  operation: SendOperation
  key: string | undefined
  /** The `Reference` of each of its messages. Only repeats of the same body have the same one. */
  mark: string
  /** The recipients, which all differ. */
  to: readonly string[]
  /** The price of each message. */
  price: number
  segments: number
  /** When a scheduled one is due, on the clock of the history, and as it is said to the gateway. */
  due?: { at: number; SendAt: string }
}

export interface SendAnswer {
  tickets: readonly string[]
  /** The bytes of the answer. */
  text: string
  replayed: boolean
}

/** A message, as a read showed it. */
export interface Seen {
  ticket: string
  mark: string
  status: string
  cost: number
  before: number
  after: number
}

export interface Entry {
  seq: number
  kind: string
  amount: number
  before: number
  after: number
  /** Only a charge has one; a debit of the operator is a charge without. */
  ticket?: string
}

export interface BookAsk {
  kind: 'credit' | 'debit'
  reference: string
  amount: number
}

export type Send = Asked<'send', SendAsk, SendAnswer>
export type Cancel = Asked<'cancel', { ticket: string }, Seen>
export type StatusRead = Asked<'status', { ticket: string }, Seen>
/** Without a mark: the newest messages, or all of them. */
export type Search = Asked<'search', { mark?: string; whole: boolean }, readonly Seen[]>
export type BalanceRead = Asked<'balance', object, { balance: number }>
/** The newest entries, or all of them; newest first. */
export type LedgerRead = Asked<'ledger', { whole: boolean }, readonly Entry[]>
export type Book = Asked<'book', BookAsk, { repeated: boolean }>

export type Operation = Send | Cancel | StatusRead | Search | BalanceRead | LedgerRead | Book

export function isKind<Kind extends Operation['kind']>(
  kind: Kind,
): (operation: Operation) => operation is Extract<Operation, { kind: Kind }> {
  return (operation): operation is Extract<Operation, { kind: Kind }> => operation.kind === kind
}

/** The answer to a read or a request; undefined when it failed or nothing is known. */
export function answerOf<Value>({ outcome }: { outcome: Outcome<Value> }): Value | undefined {
  return outcome.is === 'ok' ? outcome.value : undefined
}

export function codeOf({ outcome }: Operation): string | undefined {
  return outcome.is === 'failed' ? outcome.code : undefined
}

export function writeHistory(file: string, history: History): void {
  writeFileSync(file, JSON.stringify(history))
}

export function readHistory(file: string): History {
  const history: History = JSON.parse(readFileSync(file, 'utf8'))
  return history
}
