import type { InsightRow } from '../../history/index.ts'
import { shortDayOf } from '../../pages/times.ts'
import { type Day, type Days, isoDay, startOf } from '../widgets/days.ts'
import { lengthOf } from './range.ts'

/** What was sent on a day, or in a week where there are too many days to draw. */
export interface Bar extends Record<'sent' | 'delivered' | 'failed' | 'pending' | 'spend', number> {
  /** What stands under it: `21 Nov`. */
  label: string
  /** What it is called: `21 Nov`, `16 to 22 Nov`. */
  name: string
}

/** More bars than these would be thinner than a finger is wide, on a phone even than a pixel. */
const MOST_BARS = 92

export type Unit = 'day' | 'week'

export function unitOf(days: Days): Unit {
  return lengthOf(days) > MOST_BARS ? 'week' : 'day'
}

/** A bar for each day of a range, or for each week from Monday on, including those without messages. */
export function barsOf(days: Days, rows: readonly InsightRow[]): Bar[] {
  const byDay = new Map(rows.map((row) => [row.key, row]))
  return partsOf(days).map((part) => {
    const sum = { sent: 0, delivered: 0, failed: 0, pending: 0, spend: 0 }
    for (let day = part.first; day <= part.last; day++) {
      const row = byDay.get(isoDay(day))
      if (!row) continue
      sum.sent += row.sent
      sum.delivered += row.delivered
      sum.failed += row.failed
      sum.pending += row.pending
      sum.spend += row.spend
    }
    return { ...sum, label: shortDayOf(startOf(part.first)), name: nameOf(part) }
  })
}

function partsOf(days: Days): Days[] {
  const size = unitOf(days) === 'week' ? 7 : 1
  const parts: Days[] = []
  for (let first = days.first; first <= days.last; ) {
    const next = size === 7 ? mondayAfter(first) : first + 1
    parts.push({ first, last: Math.min(next - 1, days.last) })
    first = next
  }
  return parts
}

/** 1970-01-01 was a Thursday. */
function mondayAfter(day: Day): Day {
  return day + 7 - ((day + 3) % 7)
}

/** Says the month and the year once where both ends share them. */
function nameOf({ first, last }: Days): string {
  const [from, to] = [shortDayOf(startOf(first)), shortDayOf(startOf(last))]
  if (first === last) return from
  const [day, month] = from.split(' ')
  return to.endsWith(` ${month}`) && last - first < 31 ? `${day} to ${to}` : `${from} to ${to}`
}
