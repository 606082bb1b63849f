import type { Report } from '../../history/index.ts'
import { dayOf, shortDayOf } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { dayForm, wrongNote } from '../widgets/day-form.ts'
import { type Day, type Days, isoDay, startOf } from '../widgets/days.ts'
import { barsOf, unitOf } from './bars.ts'
import { chartSheet } from './chart.ts'
import { figures } from './figures.ts'
import { RANGES, type Range, type RangeErrors, type TypedRange } from './range.ts'
import { numbersTable } from './tables.ts'

export interface InsightsView {
  range: Range
  report: Report
  today: Day
  currency: string
}

/** The page with its numbers. */
export function insightsPage(view: InsightsView): Markup {
  const { range, report, today, currency } = view
  const { days, name } = range
  const [from, to] = [isoDay(days.first), isoDay(days.last)]
  const unit = unitOf(days)
  const bars = barsOf(days, report.days)
  const shared = { totals: report.totals, currency }
  return markup`<div class="head"><h1>Insights</h1><span class="soft roomy">${titleOf(days)}, days in UTC</span><span class="end"><a class="button second" href="/insights.csv?from=${from}&amp;to=${to}">Export CSV</a></span></div>
${choices({ current: name, typed: { from, to, range: '' }, errors: {}, open: name === undefined })}
${figures({ ...report, range, today, currency })}
${chartSheet(bars, unit, currency)}
${numbersTable({ ...shared, caption: 'By network', head: 'Network', rows: byCount(report), name: (key) => key })}
${numbersTable({ ...shared, caption: 'By day, newest first', head: 'Day', rows: report.days.toReversed(), name: (key) => shortDayOf(Date.parse(key)) })}`
}

/** The page when it is not clear which days are meant: it shows no others in their place. */
export function wrongRangePage(typed: TypedRange, errors: RangeErrors): Markup {
  return markup`<div class="head"><h1>Insights</h1></div>
${wrongNote('These days are not clear, so there is nothing to show.', errors)}
${choices({ current: undefined, typed, errors, open: true })}`
}

interface Choices {
  current: Range['name']
  typed: TypedRange
  errors: RangeErrors
  open: boolean
}

function choices({ current, typed, errors, open }: Choices): Markup {
  const chips = Object.entries(RANGES).map(
    ([name, days]) =>
      markup`<li><a href="/insights?range=${name}"${name === current && markup` aria-current="true"`}>${days} days</a></li>`,
  )
  return markup`<div class="choices"><ul class="chips" id="range" aria-label="Range">${chips}</ul>${dayForm({ action: '/insights', typed, errors, open, title: 'From and to' })}</div>`
}

/** `23 Oct to 21 Nov 2026` */
function titleOf({ first, last }: Days): string {
  const [from, to] = [dayOf(startOf(first)), dayOf(startOf(last))]
  if (first === last) return to
  return from.slice(-4) === to.slice(-4) ? `${from.slice(0, -5)} to ${to}` : `${from} to ${to}`
}

function byCount({ networks }: Report) {
  return networks.toSorted((a, b) => b.sent - a.sent)
}
