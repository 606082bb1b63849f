import { type Micros, ZERO } from '@wigwag/contract'
import type { EpochMs } from '../ids.ts'
import { utcDay } from '../time/spans.ts'

/** The use on one day in UTC. */
export interface DailyUse {
  /** As {@link utcDay} numbers it. */
  day: number
  spent: Micros
  messages: number
}

/**
 * Today's use: zero when the last use was on an earlier day. A clock that goes back, or differs slightly around
 * midnight, never resets a day that was already counted.
 */
export function usedToday(last: DailyUse, now: EpochMs): DailyUse {
  const today = utcDay(now)
  return last.day >= today ? last : { day: today, spent: ZERO, messages: 0 }
}
