import { epochMs } from '../../src/domain/ids.ts'
import type { Clock } from '../../src/platform/clock.ts'

export interface HandClock extends Clock {
  /** Lets time pass, and runs what is due. */
  pass(ms: number): void
}

/** A clock that the test moves. */
export function handClock(): HandClock {
  let now = 1_000_000
  const timers = new Set<{ at: number; work: () => void }>()
  return {
    now: () => epochMs(1_700_000_000_000 + now),
    elapsed: () => now,
    after(delayMs, work) {
      const timer = { at: now + delayMs, work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    pass(ms) {
      const end = now + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.work()
      }
      now = end
    },
  }
}
