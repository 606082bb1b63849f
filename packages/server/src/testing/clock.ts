import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'

/** A clock that moves only when told to. */
export interface MovedClock extends Clock {
  /** When the next timer is due; undefined when none waits. */
  nextTimer(): EpochMs | undefined
  /** Moves to a time and runs the timers that are due by then, in order. */
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
      const timer = { at: now + Math.ceil(Math.max(0, delayMs)), work }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    nextTimer() {
      const timer = earliest()
      return timer && epochMs(timer.at)
    },
    moveTo(time) {
      if (time < now) throw new RangeError('expected a time that is not before the current one')
      now = time
      for (let timer = earliest(); timer && timer.at <= now; timer = earliest()) {
        timers.delete(timer)
        timer.work()
      }
    },
  }
}

/** Lets time pass on a clock that stands still. */
export interface TimeLapse {
  /** Resolves when the gateway has had nothing to do for several turns of the event loop. */
  quiet(): Promise<void>
  /** Moves the time on, and resolves when all that was due has been done. */
  advance(ms: number): Promise<void>
}

/** A turn takes real time where a gateway waits for a disk or a server. */
export function createTimeLapse(
  clock: MovedClock,
  idle: () => boolean,
  turn = () => new Promise<unknown>(setImmediate),
): TimeLapse {
  async function quiet(): Promise<void> {
    for (let turns = 0; turns < 5; turns = idle() ? turns + 1 : 0) await turn()
  }
  return {
    quiet,
    async advance(ms) {
      const target = epochMs(clock.now() + ms)
      await quiet()
      for (let next = clock.nextTimer(); next !== undefined && next <= target; next = clock.nextTimer()) {
        clock.moveTo(next)
        await quiet()
      }
      clock.moveTo(target)
      await quiet()
    },
  }
}
