/** How fast PDUs may leave. All connections to one carrier share a pace. */
export class Pace {
  readonly #tps: number
  readonly #most: number
  readonly #elapsed: () => number
  #tokens: number
  #filledAt: number

  constructor({
    tps,
    burst,
    elapsed,
  }: {
    /** PDUs a second; 0 for no limit. */
    tps: number
    /** How many may leave at once after a pause. */
    burst: number
    /** Monotonic milliseconds. */
    elapsed(): number
  }) {
    this.#tps = tps
    this.#most = Math.max(1, burst)
    this.#elapsed = elapsed
    this.#tokens = this.#most
    this.#filledAt = elapsed()
  }

  /** Takes the right to send one PDU now, if there is one. */
  take(): boolean {
    if (this.#tps === 0) return true
    this.#fill()
    if (this.#tokens < 1) return false
    this.#tokens--
    return true
  }

  /** How long until the next one may leave. */
  waitMs(): number {
    if (this.#tps === 0) return 0
    this.#fill()
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#tps) * 1_000
  }

  /** How many may leave within this time. */
  within(ms: number): number {
    if (this.#tps === 0) return Number.POSITIVE_INFINITY
    this.#fill()
    // The sums are not exact.
    return Math.floor(this.#tokens + (ms * this.#tps) / 1_000 + 1e-9)
  }

  #fill(): void {
    const now = this.#elapsed()
    this.#tokens = Math.min(this.#most, this.#tokens + ((now - this.#filledAt) * this.#tps) / 1_000)
    this.#filledAt = now
  }
}
