import type { LinkOptions } from './link.ts'

const LONGEST_PAUSE_MS = 60_000
/** A carrier that ends each connection soon after the bind would be dialled without a rest otherwise. */
const STEADY_MS = 30_000

/** How long to wait before the next dial: longer each time, until a connection has lasted. */
export interface Backoff {
  bound(): void
  /** The connection has ended, bound or not. Returns the milliseconds to wait. */
  ended(): number
}

export function createBackoff({
  clock,
  random,
  reconnectMs,
}: Pick<LinkOptions, 'clock' | 'random' | 'reconnectMs'>): Backoff {
  let failures = 0
  let boundAt = Infinity
  return {
    bound() {
      boundAt = clock.elapsed()
    },
    ended() {
      if (clock.elapsed() - boundAt >= STEADY_MS) failures = 0
      boundAt = Infinity
      const pause = Math.min(reconnectMs * 2 ** Math.min(failures++, 16), LONGEST_PAUSE_MS)
      // Less a random part, so that many links do not come back at the same moment.
      return pause * (0.5 + random() / 2)
    },
  }
}
