import { AbortedError, GatewayError, WigwagError } from '../errors.ts'
import type { Resend } from '../options.ts'

/** The longest `Retry-After` that a call waits for. After a longer one it fails, and the caller decides. */
const longestPause = 60_000

/** Whether a failure is temporary, so that the same request may succeed later. */
export function isPassing(error: unknown): error is WigwagError {
  if (!(error instanceof GatewayError))
    return error instanceof WigwagError && !(error instanceof AbortedError)
  const { status, code } = error
  return (
    status < 300 || status === 408 || status === 429 || status > 499 || code === 'idempotency_in_progress'
  )
}

/** Milliseconds that the gateway asks to wait. */
export function requestedPause(error: unknown): number {
  return error instanceof GatewayError ? (error.retryAfter ?? 0) * 1000 : 0
}

/** Whether to make the same request again. A send is repeated only as `resend` allows. */
export function mayRepeat(error: unknown, resend: Resend): error is WigwagError {
  if (!isPassing(error) || requestedPause(error) > longestPause) return false
  return !error.idempotencyKey || resend !== 'when-safe' || !error.uncertain
}

/** Milliseconds to wait: what the gateway asked for plus full jitter, so that clients don't all return at once. */
export function pauseBefore(attempt: number, error: unknown): number {
  return requestedPause(error) + Math.random() * Math.min(8000, 500 * 2 ** (attempt - 1))
}
