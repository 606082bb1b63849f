import type { EpochMs } from './ids.ts'
import { type Micros, ZERO } from './money.ts'

const DAY_MS = 86_400_000

/** What was used on a day in UTC; the day is a number, counted from 1970. */
export interface DailyUse {
  day: number
  spent: Micros
  messages: number
}

/**
 * What counts for today: nothing yet, when the last use was on a day before. Clocks that go back, or that differ by a
 * little around midnight, open no day a second time.
 */
export function usedToday(last: DailyUse, now: EpochMs): DailyUse {
  const today = Math.floor(now / DAY_MS)
  return last.day >= today ? last : { day: today, spent: ZERO, messages: 0 }
}
