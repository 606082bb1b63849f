/** So many who wait at the same moment have to wait for each other, and for whatever else is done meanwhile. */
const MANY = 16
const MOMENT_MS = 50

/** Remembers for a moment that many waited for an answer at once. */
export function createCrowd() {
  let seenAt = Number.NEGATIVE_INFINITY
  return {
    see(count: number): void {
      if (count >= MANY) seenAt = performance.now()
    },
    isThere: () => performance.now() - seenAt < MOMENT_MS,
  }
}
