import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../kernel/time/spans.ts'
import type { OutboundResult } from '../net/outbound/port.ts'

/** The pauses after the first attempt, the second, and so on. After the last one the callback is dead. */
const PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/** A callback is posted at most this often, unless it is posted again by hand. */
export const MOST_ATTEMPTS = PAUSES_MS.length + 1

const JITTER = 0.2
const LONGEST_RETRY_AFTER_MS = 24 * HOUR_MS

/** Added to the receiver's time in a job's lease, for the database work before and after a post. */
export const LEASE_BEYOND_MS = 45 * SECOND_MS

/** The result of an attempt. `receiver_gone`: not posted, because the receiver answered 410 recently. */
export type PostResult =
  | OutboundResult
  | (Omit<Extract<OutboundResult, { kind: 'failure' }>, 'failure'> & { failure: 'receiver_gone' })

export type AfterAttempt = { kind: 'delivered' } | { kind: 'dead' } | { kind: 'again'; delayMs: number }

/**
 * Decides what follows an attempt. 410 Gone and a URL that may never be posted to are final; every other failure may
 * be temporary. The next one comes no earlier than after `restMs`.
 */
export function afterAttempt(
  result: PostResult,
  attempts: number,
  { now, random, restMs = 0 }: { now: number; random: () => number; restMs?: number },
): AfterAttempt {
  if (result.kind === 'reply') {
    if (result.status >= 200 && result.status < 300) return { kind: 'delivered' }
    if (result.status === 410) return { kind: 'dead' }
  } else if (result.failure === 'invalid_url' || result.failure === 'blocked_address') {
    return { kind: 'dead' }
  }
  const pause = PAUSES_MS[attempts - 1]
  if (pause === undefined) return { kind: 'dead' }
  const planned = pause * (1 - JITTER + 2 * JITTER * random())
  const asked = result.kind === 'reply' ? retryAfterMs(result.headers['retry-after'], now) : 0
  return { kind: 'again', delayMs: Math.round(Math.max(planned, asked, restMs)) }
}

/** `Retry-After` in seconds or as a date. */
function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) : 0
}
