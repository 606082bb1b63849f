import type { LiveTimes } from '../../../src/kernel/process/clock.ts'

/** As long as a look at a list may take. */
const TOO_LONG_MS = 5_000

/**
 * Times that tell pages of changes at once: timers run in the next turn of the event loop, and no look at a
 * list times out.
 */
export function hurried(): LiveTimes {
  let now = 0
  return {
    changesEveryMs: 0,
    checkMs: 20,
    time: {
      elapsed: () => now,
      after(ms, work) {
        if (ms >= TOO_LONG_MS) return () => {}
        const at = now + ms
        const turn = setImmediate(() => {
          now = Math.max(now, at)
          work()
        })
        return () => clearImmediate(turn)
      },
    },
  }
}
