import { type EpochMs, epochMs } from './domain/ids.ts'

/** Time, passed in wherever it is needed, so that tests can move it. */
export interface Clock {
  now(): EpochMs
  /** Milliseconds since some fixed moment. Never goes back, whatever is done to the clock on the wall. */
  elapsed(): number
  /** Runs `work` once, `delayMs` from now, unless the returned function is called before. */
  after(delayMs: number, work: () => void): () => void
}

/** Node fires a longer timer at once. */
const LONGEST_TIMER = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  elapsed: () => performance.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(Math.max(delayMs, 0), LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
}
