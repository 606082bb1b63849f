import type { OutboundResult } from './ports.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** The pauses after the first attempt, the second, and so on. After the last one the callback is given up. */
const CALLBACK_PLAN_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

const JITTER = 0.2
const LONGEST_RETRY_AFTER_MS = 24 * HOUR

export type AfterAttempt = { kind: 'delivered' } | { kind: 'dead' } | { kind: 'again'; delayMs: number }

/**
 * What an attempt leads to. A receiver that says it is gone is believed; an address that may never be posted to
 * will not become a better one; everything else may pass.
 */
export function afterAttempt(
  result: OutboundResult,
  attempts: number,
  { now, random }: { now: number; random: () => number },
): AfterAttempt {
  if (result.kind === 'reply') {
    if (result.status >= 200 && result.status < 300) return { kind: 'delivered' }
    if (result.status === 410) return { kind: 'dead' }
  } else if (result.failure === 'invalid_url' || result.failure === 'blocked_address') {
    return { kind: 'dead' }
  }
  const pause = CALLBACK_PLAN_MS[attempts - 1]
  if (pause === undefined) return { kind: 'dead' }
  const planned = pause * (1 - JITTER + 2 * JITTER * random())
  const asked = result.kind === 'reply' ? retryAfterMs(result.headers['retry-after'], now) : 0
  return { kind: 'again', delayMs: Math.round(Math.max(planned, asked)) }
}

/** `Retry-After` in seconds or as a date. */
function retryAfterMs(header: string | undefined, now: number): number {
  if (header === undefined) return 0
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * SECOND : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS) : 0
}
