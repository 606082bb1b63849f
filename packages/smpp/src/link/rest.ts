const LONGEST_MS = 30_000

/** How long to leave a busy carrier alone: longer each time that a rest did not help. */
export class Rest {
  readonly #firstMs: number
  readonly #elapsed: () => number
  #nextMs: number
  #until = 0
  #count = 0

  constructor({ firstMs, elapsed }: { firstMs: number; elapsed(): number }) {
    this.#firstMs = firstMs
    this.#elapsed = elapsed
    this.#nextMs = firstMs
  }

  /** How often it began. */
  get count(): number {
    return this.#count
  }

  /** How much of the rest is left; 0 when there is none. */
  leftMs(): number {
    return Math.max(0, Math.ceil(this.#until - this.#elapsed()))
  }

  begin(): void {
    this.#count++
    this.#until = this.#elapsed() + this.#nextMs
    this.#nextMs = Math.min(this.#nextMs * 2, LONGEST_MS)
  }

  /** A request that was sent at this time was taken. */
  taken(sentAt: number): void {
    // An answer to a message from before the rest does not show that the rest helped.
    if (sentAt >= this.#until) this.#nextMs = this.#firstMs
  }
}
