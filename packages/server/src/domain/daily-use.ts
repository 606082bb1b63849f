import { type Micros, ZERO } from '@wigwag/contract'
import type { EpochMs } from './ids.ts'

const DAY_MS = 86_400_000

/** The use on one day in UTC. Days are numbered from 1970-01-01. */
export interface DailyUse {
  day: number
  spent: Micros
  messages: number
}

/** The day of a time in UTC, numbered from 1970-01-01. */
export function dayOf(time: number): number {
  return Math.floor(time / DAY_MS)
}

/**
 * Today's use: zero when the last use was on an earlier day. A clock that goes back, or differs slightly around
 * midnight, never resets a day that was already counted.
 */
export function usedToday(last: DailyUse, now: EpochMs): DailyUse {
  const today = dayOf(now)
  return last.day >= today ? last : { day: today, spent: ZERO, messages: 0 }
}
