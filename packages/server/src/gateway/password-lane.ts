/** Hashing a password takes much memory and a whole processor: so few run at a time, and so few wait, in order. */
export interface LaneLimits {
  atOnce: number
  waiting: number
}

/** Runs work when it is its turn; undefined, and the work is not run, when too much waits already. */
export type PasswordLane = <T>(work: () => Promise<T>) => Promise<T | undefined>

export function createPasswordLane({ atOnce, waiting }: LaneLimits): PasswordLane {
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
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
