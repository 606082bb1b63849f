import { systemClock as machineClock } from '@wigwag/contract'
import { type EpochMs, epochMs } from '../domain/ids.ts'

/** The current time and timers, passed in so that tests can control them. */
export interface Clock {
  now(): EpochMs
  /** Milliseconds since an arbitrary moment. Monotonic: changes to the system time do not affect it. */
  elapsed(): number
  /** Runs `work` once, `delayMs` from now. The returned function cancels it. */
  after(delayMs: number, work: () => void): () => void
}

/** The real clock. */
export const systemClock: Clock = { ...machineClock, now: () => epochMs(machineClock.now()) }
