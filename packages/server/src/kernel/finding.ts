import type { Words } from './text/words.ts'

/** The result of one check. */
export interface Finding extends Verdict {
  check: string
  /** The check itself could not be made, so what it would have found is not known. */
  isUnread?: true
}

export interface Verdict {
  /** `skip`: it was not tried. */
  state: 'ok' | 'warn' | 'fail' | 'skip'
  detail: string
  /** Of a warning: something is wrong now, not only set up in a way that may not be meant. */
  isWrong?: true
  /** Tells the findings of one check apart, and stays the same for as long as it is the same thing. The check, when left out. */
  topic?: string
  /** Where something can be done about just that: what it is about, and the detail without what a page has. */
  about?: About & { what: Words }
}

/** A carrier, the messages that it never answered for, a customer, or a list of what waits for somebody. */
export type About =
  | { kind: 'carrier' | 'uncertain'; carrier: string }
  | { kind: 'customer'; accountId: string }
  | { kind: 'waiting' | 'set aside' | 'given up' | 'low wallets' | 'senders' | 'prices' }

export const ok = (detail: string): Verdict => ({ state: 'ok', detail })
export const warn = (detail: string): Verdict => ({ state: 'warn', detail })
export const fail = (detail: string): Verdict => ({ state: 'fail', detail })
/** Something is wrong, and goes on meanwhile. */
export const wrong = (detail: string): Verdict => ({ state: 'warn', detail, isWrong: true })
