import type { Clock } from '../clock.ts'

/** Hashing a password takes much memory and a whole processor: so few run at a time, and so few wait, in order. */
export interface LaneOptions {
  atOnce: number
  waiting: number
  clock: Clock
  /** Whether every moment of the processor is wanted for something else. */
  busy(): boolean
}

/** While there is much else to do, a place is left free for so many times as long as it was taken. */
const RESTS = 6
const LONGEST_REST_MS = 2_000

/** Runs work when it is its turn; undefined, and the work is not run, when too much waits already. */
export type PasswordLane = <T>(work: () => Promise<T>) => Promise<T | undefined>

export function createPasswordLane({ atOnce, waiting, clock, busy }: LaneOptions): PasswordLane {
  const queue: (() => void)[] = []
  let running = 0

  /** Hands the place on, rather than free it: nobody who comes now gets in before those who wait. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else running--
  }

  return async function runInLane(work) {
    if (running < atOnce) running++
    else if (queue.length >= waiting) return undefined
    else await new Promise<void>((resolve) => queue.push(resolve))
    const began = clock.elapsed()
    try {
      return await work()
    } finally {
      // The one whose turn it was has its answer; only those behind it wait.
      if (busy()) clock.after(Math.min(RESTS * (clock.elapsed() - began), LONGEST_REST_MS), leave)
      else leave()
    }
  }
}
