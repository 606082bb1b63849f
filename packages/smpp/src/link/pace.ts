/** How fast PDUs may leave. All connections to one carrier share a pace. */
export interface Pace {
  /** Takes the right to send one PDU now, if there is one. */
  take(): boolean
  /** How long until the next one may leave. */
  waitMs(): number
  /** How many may leave within this time. */
  within(ms: number): number
}

export interface PaceOptions {
  /** PDUs a second; 0 for no limit. */
  tps: number
  /** How many may leave at once after a pause. */
  burst: number
  /** Monotonic milliseconds. */
  elapsed(): number
}

export function createPace({ tps, burst, elapsed }: PaceOptions): Pace {
  if (tps === 0) return { take: () => true, waitMs: () => 0, within: () => Number.POSITIVE_INFINITY }
  const most = Math.max(1, burst)
  let tokens = most
  let filledAt = elapsed()

  function fill(): void {
    const now = elapsed()
    tokens = Math.min(most, tokens + ((now - filledAt) * tps) / 1_000)
    filledAt = now
  }

  return {
    take() {
      fill()
      if (tokens < 1) return false
      tokens--
      return true
    },
    waitMs() {
      fill()
      return tokens >= 1 ? 0 : ((1 - tokens) / tps) * 1_000
    },
    within(ms) {
      fill()
      // The sums are not exact.
      return Math.floor(tokens + (ms * tps) / 1_000 + 1e-9)
    },
  }
}
