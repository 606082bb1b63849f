import { epochMs } from '../../src/kernel/ids.ts'
import type { Clock } from '../../src/kernel/process/clock.ts'
import { turns } from './turns.ts'

export interface HandClock extends Clock {
  /** Lets time pass, and runs what is due. */
  pass(ms: number): void
}

/** Lets time pass until something is done, such as closing what waits for an answer that never comes. */
export async function passUntil(clock: Pick<HandClock, 'pass'>, done: Promise<unknown>): Promise<void> {
  let isDone = false
  void done.finally(() => {
    isDone = true
  })
  for (; !isDone; await turns()) clock.pass(1_000)
}

/** As {@link passUntil} where only the test moves the clock. */
export async function overTime(
  clock: Pick<Clock, 'elapsed'> | HandClock,
  done: Promise<unknown>,
): Promise<void> {
  await ('pass' in clock ? passUntil(clock, done) : done)
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
