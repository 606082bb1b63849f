import type { EpochMs } from '../../kernel/ids.ts'
import { MINUTE_MS, utcDay } from '../../kernel/time/spans.ts'
import type { Markup } from './markup.ts'

const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' })

/** A time in words: `today, 09:00 UTC`, `5 January 2026`. Days are in UTC, like those of the limits. */
export function moment(at: EpochMs, now: EpochMs): Markup {
  const daysAgo = utcDay(now) - utcDay(at)
  const clockTime = `${time.format(at)} UTC`
  const text =
    daysAgo === 0 ? `today, ${clockTime}` : daysAgo === 1 ? `yesterday, ${clockTime}` : date.format(at)
  return <time datetime={new Date(at).toISOString()}>{text}</time>
}

/** How long it takes until then, rounded up: `a minute`, `15 minutes`, `8 hours`. */
export function waitUntil(then: EpochMs, now: EpochMs): string {
  const minutes = Math.ceil((then - now) / MINUTE_MS)
  if (minutes <= 1) return 'a minute'
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}
