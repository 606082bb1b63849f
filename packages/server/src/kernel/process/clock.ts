import { systemClock as machineClock } from '@wigwag/contract'
import { type EpochMs, epochMs } from '../ids.ts'

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

/** Resolves when the work is over, or after so long. Rejects as the work does. */
export async function overWithin(
  clock: Pick<Clock, 'after'>,
  ms: number,
  work: Promise<unknown>,
): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(ms, resolve)
  await Promise.race([work, late]).finally(cancel)
}

/** Calls work again and again, so many milliseconds apart. The returned function ends that. */
export type Pulse = (everyMs: number, work: () => void) => () => void

/** In real time. It keeps no process alive. */
export const realPulse: Pulse = (everyMs, work) => {
  const timer = setInterval(work, everyMs).unref()
  return () => clearInterval(timer)
}

/** When pages that are open are told of what changes. Each is a real time when it is left out. */
export interface LiveTimes {
  /** Changes are passed on at most this often. */
  changesEveryMs?: number
  /** How often sessions that have ended are looked for. */
  checkMs?: number
  /** In which lists are looked at and rests are taken. */
  time?: Pick<Clock, 'elapsed' | 'after'>
}
