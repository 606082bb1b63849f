import { performance } from 'node:perf_hooks'
import type { Clock } from '../../platform/clock.ts'

/** Hashing a password takes much memory and a whole processor core, so few run at once and few may wait, in order. */
export interface PasswordQueueOptions {
  atOnce: number
  waiting: number
  clock: Clock
  /** Whether the event loop is saturated with other work. */
  busy(): boolean
}

/** When busy, a place then stays empty for this many times as long as it was taken. */
const RESTS = 6
const LONGEST_REST_MS = 2_000

/** Runs work when it is its turn. Undefined, without running it, when too many wait already. */
export type PasswordQueue = <T>(work: () => Promise<T>) => Promise<T | undefined>

export function createPasswordQueue({ atOnce, waiting, clock, busy }: PasswordQueueOptions): PasswordQueue {
  const queue: (() => void)[] = []
  let running = 0

  /** Passes the place to the next in the queue rather than freeing it, so that a newcomer can't overtake. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else running--
  }

  return async function queued(work) {
    if (running < atOnce) running++
    else if (queue.length >= waiting) return undefined
    else await new Promise<void>((resolve) => queue.push(resolve))
    const began = clock.elapsed()
    try {
      return await work()
    } finally {
      // This caller is answered at once; only those behind it wait.
      const restMs = busy() ? Math.min(RESTS * (clock.elapsed() - began), LONGEST_REST_MS) : 0
      if (restMs > 0) clock.after(restMs, leave)
      else leave()
    }
  }
}

const SAMPLE_MS = 50
const SATURATED = 0.9

/** Tells whether the event loop was recently saturated: then any extra work delays requests that are under way. */
export function createSaturation(): () => boolean {
  let from = performance.eventLoopUtilization()
  let sampledAt = performance.now()
  let saturated = false

  return function isSaturated() {
    const now = performance.now()
    if (now - sampledAt >= SAMPLE_MS) {
      saturated = performance.eventLoopUtilization(from).utilization > SATURATED
      from = performance.eventLoopUtilization()
      sampledAt = now
    }
    return saturated
  }
}
