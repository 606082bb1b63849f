import { epochMs } from '../../src/kernel/ids.ts'
import { type Clock, systemClock } from '../../src/kernel/process/clock.ts'

/** The time of the machine, which a test moves on when nothing is left to wait for but that. */
export interface HurriedClock extends Clock {
  hurry(ms: number): void
}

interface Timer {
  dueAt: number
  work(): void
  cancel(): void
}

export function hurriedClock(): HurriedClock {
  const timers = new Set<Timer>()
  let ahead = 0
  const elapsed = () => systemClock.elapsed() + ahead

  function arm(timer: Timer): void {
    timer.cancel = systemClock.after(timer.dueAt - elapsed(), () => {
      timers.delete(timer)
      timer.work()
    })
  }
  return {
    now: () => epochMs(systemClock.now() + ahead),
    elapsed,
    after(delayMs, work) {
      const timer = { dueAt: elapsed() + delayMs, work, cancel() {} }
      timers.add(timer)
      arm(timer)
      return () => {
        timers.delete(timer)
        timer.cancel()
      }
    },
    hurry(ms) {
      ahead += ms
      for (const timer of [...timers].sort((a, b) => a.dueAt - b.dueAt)) {
        timer.cancel()
        arm(timer)
      }
    },
  }
}
