import type { LiveTimes } from '../../../src/platform/live-times.ts'

/** As long as a look at a list may take. */
const TOO_LONG_MS = 5_000

/**
 * Time in which pages are told at once of what changes. What is to happen later does so in the next turn, and no look at
 * a list takes too long.
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
