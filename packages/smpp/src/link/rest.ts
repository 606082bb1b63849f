/** How long to leave a busy carrier alone: longer each time that a rest did not help. */
export interface Rest {
  /** How often it began. */
  readonly count: number
  /** How much of the rest is left; 0 when there is none. */
  leftMs(): number
  begin(): void
  /** A request that was sent at this time was taken. */
  taken(sentAt: number): void
}

const LONGEST_MS = 30_000

export function createRest({ firstMs, elapsed }: { firstMs: number; elapsed(): number }): Rest {
  let nextMs = firstMs
  let until = 0
  let count = 0
  return {
    get count() {
      return count
    },
    leftMs: () => Math.max(0, Math.ceil(until - elapsed())),
    begin() {
      count++
      until = elapsed() + nextMs
      nextMs = Math.min(nextMs * 2, LONGEST_MS)
    },
    taken(sentAt) {
      // An answer to a message from before the rest does not show that the rest helped.
      if (sentAt >= until) nextMs = firstMs
    },
  }
}
