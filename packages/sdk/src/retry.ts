import { GatewayError, WigwagError } from './errors.ts'
import type { Resend } from './options.ts'

/** The longest that a call waits because the gateway says so. A caller who is told to wait longer decides alone. */
const longestPause = 60_000

/** Whether a failure may pass when the same request is made again. */
export function isPassing(error: unknown): error is WigwagError {
  if (!(error instanceof GatewayError)) return error instanceof WigwagError
  const { status, code } = error
  return (
    status < 300 || status === 408 || status === 429 || status > 499 || code === 'idempotency_in_progress'
  )
}

/** Milliseconds that the gateway asks to wait. */
export function askedPause(error: unknown): number {
  return error instanceof GatewayError ? (error.retryAfter ?? 0) * 1000 : 0
}

/** Whether to make the same request again: a send only when it can't go out twice. */
export function mayRepeat(error: unknown, resend: Resend): boolean {
  if (!isPassing(error) || askedPause(error) > longestPause) return false
  return !error.idempotencyKey || resend !== 'when-safe' || !error.uncertain
}

/** Milliseconds to wait: what the gateway asked for, and full jitter on top so that clients don't return as one. */
export function pauseBefore(attempt: number, error: unknown, random: () => number): number {
  return askedPause(error) + random() * Math.min(8000, 500 * 2 ** (attempt - 1))
}
