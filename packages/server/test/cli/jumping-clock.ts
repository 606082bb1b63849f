import { epochMs } from '../../src/kernel/ids.ts'
import type { Clock } from '../../src/kernel/process/clock.ts'
import { turns } from '../support/turns.ts'

/**
 * A clock for what pauses and then looks again: it jumps to the end of each pause, once everything has gone on that
 * could. Not for what gives up after a time: that time would be over at once.
 */
export function jumpingClock(): Clock {
  let now = Date.parse('2026-01-05T09:00:00.125Z')
  return {
    now: () => epochMs(now),
    elapsed: () => now,
    after(delayMs, work) {
      const end = now + delayMs
      let isWanted = true
      void turns().then(() => {
        if (!isWanted) return
        now = Math.max(now, end)
        work()
      })
      return () => {
        isWanted = false
      }
    },
  }
}
