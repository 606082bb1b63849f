import type { EpochMs } from '../kernel/ids.ts'
import { elapsed, MINUTE_MS, SECOND_MS, utcDay } from '../kernel/time/spans.ts'
import type { Markup } from '../net/pages/markup.ts'

const dayAndMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const withYear = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A time in a list: `21:08:41` today, `20 Nov 09:30` on other days. Always UTC; its `title` has all of it. */
export function listTime(at: EpochMs | number, now: EpochMs): Markup {
  const clock = clockOf(at)
  const text = isSameDay(at, now) ? clock : `${dayAndMonth.format(at)} ${clock.slice(0, 5)}`
  return timeElement(at, text)
}

/** A time to the millisecond, for a timeline: `21:08:41.125`, with its day unless that is today. */
export function exactTime(at: EpochMs | number, now: EpochMs): Markup {
  const clock = new Date(at).toISOString().slice(11, 23)
  return timeElement(at, isSameDay(at, now) ? clock : `${dayAndMonth.format(at)} ${clock}`)
}

/** A time on a phone: `Today 21:08`, `20 Nov 09:30` on other days. */
export function phoneTime(at: EpochMs | number, now: EpochMs): Markup {
  const day = isSameDay(at, now) ? 'Today' : dayAndMonth.format(at)
  return timeElement(at, `${day} ${clockOf(at).slice(0, 5)}`)
}

/** A time in a sentence: `21 Nov 2026, 21:09`. */
export function dayAndTime(at: EpochMs | number): Markup {
  return timeElement(at, `${dayOf(at)}, ${clockOf(at).slice(0, 5)}`)
}

/** `21 Nov 2026` */
export function dayOf(at: EpochMs | number): string {
  return withYear.format(at)
}

/** `21 Nov` */
export function shortDayOf(at: EpochMs | number): string {
  return dayAndMonth.format(at)
}

/** How long something took: `6 ms`, `1.01 s`, `2 min 5 s`, `3 h 10 min`. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toPrecision(3)} s`
  return elapsed(ms)
}

function clockOf(at: number): string {
  return new Date(at).toISOString().slice(11, 19)
}

function isSameDay(at: number, now: number): boolean {
  return utcDay(at) === utcDay(now)
}

function timeElement(at: number, text: string): Markup {
  const iso = new Date(at).toISOString()
  return (
    <time datetime={iso} title={iso}>
      {text}
    </time>
  )
}
