/** The current time and timers, given from outside so that tests can control them. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Milliseconds since an arbitrary moment, which no change of the system's time affects. */
  elapsed(): number
  /** Runs `work` once, `delayMs` from now. The returned function cancels it. */
  after(delayMs: number, work: () => void): () => void
}

/** Node fires a timer longer than this at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** The machine's time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(delayMs, work) {
    const timer = setTimeout(work, Math.min(Math.max(delayMs, 0), LONGEST_TIMER))
    return () => clearTimeout(timer)
  },
}
