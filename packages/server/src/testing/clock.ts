import type { Clock } from '../clock.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'

/** A clock that stands still until it is moved. */
export interface MovedClock extends Clock {
  /** When the next timer is due; undefined when none waits. */
  nextTimer(): EpochMs | undefined
  /** Moves to a time and runs the timers that are due there, in order. */
  moveTo(time: EpochMs): void
}

interface Timer {
  at: number
  work: () => void
}

export function createMovedClock(start: EpochMs): MovedClock {
  let now = start
  const timers = new Set<Timer>()
  const earliest = () =>
    [...timers].reduce<Timer | undefined>((a, b) => (a && a.at <= b.at ? a : b), undefined)

  return {
    now: () => now,
    elapsed: () => now - start,
    after(delayMs, work) {
      const timer = { at: now + Math.max(0, delayMs), work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    nextTimer() {
      const timer = earliest()
      return timer && epochMs(timer.at)
    },
    moveTo(time) {
      if (time < now) throw new RangeError('a clock that stands still does not go back')
      now = time
      for (let timer = earliest(); timer && timer.at <= now; timer = earliest()) {
        timers.delete(timer)
        timer.work()
      }
    },
  }
}
