import type { Clock } from '../../../platform/clock.ts'

export interface RestOptions {
  clock: Clock
  onEnd(): void
}

/** The times in which a carrier is left alone. */
export interface Rest {
  /** Undefined while it does not rest. */
  current(): { kind: 'resting' | 'away'; reason: string; leftMs: number } | undefined
  /** Why it was away, until something has been heard from it. */
  outage(): string | undefined
  /** Rests twice as long as the time before, and at least `atLeastMs`. */
  begin(kind: 'resting' | 'away', reason: string, atLeastMs: number): void
  /** It works: the next rest is a short one again. */
  worked(): void
  count(): number
  stop(): void
}

const SHORTEST_MS = 1_000
const LONGEST_MS = 30_000
/** A provider that asks for more time than this is asked again sooner. */
const LONGEST_ASKED_MS = 5 * 60_000

export function createRest({ clock, onEnd }: RestOptions): Rest {
  let now: { kind: 'resting' | 'away'; reason: string; until: number } | undefined
  let cancel = () => {}
  let nextMs = SHORTEST_MS
  let outage: string | undefined
  let count = 0

  function wake(): void {
    const leftMs = now === undefined ? 0 : now.until - clock.elapsed()
    if (leftMs > 0) {
      cancel = clock.after(Math.ceil(leftMs), wake)
      return
    }
    now = undefined
    onEnd()
  }

  return {
    current: () => now && { ...now, leftMs: Math.max(0, now.until - clock.elapsed()) },
    outage: () => outage,

    begin(kind, reason, atLeastMs) {
      outage = kind === 'away' ? reason : undefined
      const asked = Math.min(atLeastMs, LONGEST_ASKED_MS)
      if (now !== undefined) {
        // Requests that were under way together count as one.
        now.until = Math.max(now.until, clock.elapsed() + asked)
        return
      }
      const ms = Math.max(nextMs, asked)
      nextMs = Math.min(nextMs * 2, LONGEST_MS)
      count += 1
      now = { kind, reason, until: clock.elapsed() + ms }
      cancel = clock.after(Math.ceil(ms), wake)
    },

    worked() {
      outage = undefined
      if (now === undefined) nextMs = SHORTEST_MS
    },

    count: () => count,
    stop: () => cancel(),
  }
}
