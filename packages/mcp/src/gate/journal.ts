import type { Micros } from '@wigwag/contract'

/** An attempt of a send, before it leaves. */
export interface Attempt {
  connection: string
  tool: string
  at: number
  digest: string
  /** Null when unknown. */
  cost: Micros | null
  /** The idempotency key that the gateway gets. */
  key?: string | undefined
}

/** The result of one attempt. */
export interface End {
  /** The id of its send. */
  id: string
  at: number
  /** `failed` only when it is certain that nothing was sent. */
  outcome: 'sent' | 'failed' | 'uncertain'
  ticket?: string | undefined
  key?: string | undefined
}

/** A send that counts: one of which some attempt was made, or may have been. */
export interface EarlierSend {
  id: string
  digest: string
  /** Undefined as long as it is not known. */
  ticket: string | undefined
}

/** Totals of the sends of one day, in UTC. */
export interface DayUse {
  messages: number
  spent: Micros
  /** Whether the price of one of them is not known. */
  unpriced: boolean
}

/** Earlier sends of a connection that decide whether an attempt may be made. */
export interface Known {
  /** The sends with the attempt's key in the last {@link KEY_LIFE}, oldest first. */
  keyed: readonly EarlierSend[]
  /** Whether a repeat of a key made a second message: the gateway then does not honour keys. */
  copied: boolean
  /** The latest send with the attempt's digest in the last {@link TWO_MINUTES}. */
  twin: EarlierSend | undefined
  day: DayUse
}

/** Records sends, for the limits that count them. */
export interface Journal {
  /**
   * Counts an attempt before it leaves, as one of the send whose id `decide` returns. No other attempt is counted
   * between what `decide` is told and that. When the promise resolves, the attempt is durable; when it rejects, or
   * `decide` throws, nothing was counted.
   */
  attempt(attempt: Attempt, decide: (known: Known) => string): Promise<string>
  /** The facts that `attempt` would pass to `decide`. Counts nothing. */
  known(attempt: Attempt): Promise<Known>
  /** Records the result of an attempt. A send of which every attempt failed no longer counts. */
  end(end: End): Promise<void>
  /** The tickets of a connection's sends of today and yesterday, newest first. */
  sent(connection: string, now: number, most: number): Promise<string[]>
}

/** An equal message within this time needs its own idempotency key. */
export const TWO_MINUTES = 120_000
/** One hour less than the 24 that the gateway keeps a key, so that a send close to that limit is counted. */
export const KEY_LIFE = 23 * 3_600_000

const A_DAY = 86_400_000

/** The day in UTC, as a number. */
export function dayOf(time: number): number {
  return Math.floor(time / A_DAY)
}

/** When yesterday began. No limit looks further back. */
export function yesterdayOf(now: number): number {
  return (dayOf(now) - 1) * A_DAY
}
