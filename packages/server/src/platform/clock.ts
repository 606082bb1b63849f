import { type EpochMs, epochMs } from '../domain/ids.ts'

/** The current time and timers, passed in so that tests can control them. */
export interface Clock {
  now(): EpochMs
  /** Milliseconds since an arbitrary moment. Monotonic: changes to the system time do not affect it. */
  elapsed(): number
  /** Runs `work` once, `delayMs` from now. The returned function cancels it. */
  after(delayMs: number, work: () => void): () => void
}

/** Node fires a timer longer than this immediately. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The real clock. */
export const systemClock: Clock = {
  now: () => epochMs(Date.now()),
  elapsed: () => performance.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(Math.max(delayMs, 0), LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
}
