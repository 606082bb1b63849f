import { microsOfSum, toDecimal } from '@wigwag/contract'
import type { Report } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { csvReply } from '../../files.ts'
import { dayOf, shortDayOf } from '../../times.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import {
  type Day,
  type DayErrors,
  type Days,
  dayAt,
  dayForm,
  isoDay,
  lengthOf,
  readDays,
  startOf,
  type TypedDays,
  wrongNote,
} from '../widgets/days.tsx'
import { barsOf, unitOf } from './bars.ts'
import { chartSheet } from './chart.tsx'
import { figures, numbersTable } from './figures.tsx'

/** Messages, deliveries and spending of a range of days, as a page and as a file. */
export function mountInsights(pages: Pages, { history, clock }: ConsoleParts): void {
  pages.show('/insights', 'read', (visit) =>
    inRange(visit, async (range) => {
      const { principal } = visit
      const body = insightsPage({
        range,
        report: await reportOf(visit, range),
        today: today(),
        currency: principal.wallet.currency,
      })
      return { title: 'Insights', place: 'insights', middle: true, body }
    }),
  )

  pages.file('/insights.csv', 'read', (visit) =>
    inRange(visit, async (range) => {
      const { rows } = await reportOf(visit, range)
      return csvReply<Report['rows'][number]>({
        name: `insights-${isoDay(range.days.first)}-${isoDay(range.days.last)}.csv`,
        head: [
          'day',
          'country',
          'network',
          'sent',
          'delivered',
          'not_delivered',
          'pending',
          `spend_${visit.principal.wallet.currency}`,
        ],
        read: async () => ({ items: rows, next: undefined }),
        line: ({ day, country, network, sent, delivered, failed, spend }) => [
          isoDay(day),
          country,
          network,
          sent,
          delivered,
          failed,
          sent - delivered - failed,
          toDecimal(microsOfSum(spend)),
        ],
      })
    }),
  )

  const today = () => dayAt(clock.now())

  /** Whole days, which the running totals answer without counting messages. */
  function reportOf({ principal }: Visit, { days }: Range): Promise<Report> {
    return history.report(principal, { from: startOf(days.first), before: startOf(days.last + 1) })
  }

  async function inRange(
    { c }: Visit,
    work: (range: Range) => Promise<Page | Response>,
  ): Promise<Page | Response> {
    const query = (name: keyof TypedRange) => c.req.query(name)?.trim() ?? ''
    const typed = { range: query('range'), from: query('from'), to: query('to') }
    const read = readRange(typed, today())
    if ('range' in read) return work(read.range)
    const body = wrongRangePage(typed, read.errors)
    return { title: 'Insights', place: 'insights', middle: true, status: 422, body }
  }
}

interface InsightsView {
  range: Range
  report: Report
  today: Day
  currency: string
}

/** The page with its numbers. */
function insightsPage(view: InsightsView): Markup {
  const { range, report, today, currency } = view
  const { days, name } = range
  const [from, to] = [isoDay(days.first), isoDay(days.last)]
  const unit = unitOf(days)
  const bars = barsOf(days, report.days)
  const shared = { totals: report.totals, currency }
  return (
    <>
      <div class="head">
        <h1>Insights</h1>
        <span class="soft roomy">{titleOf(days)}, days in UTC</span>
        <span class="end">
          <a class="button second" href={`/insights.csv?from=${from}&to=${to}`}>
            Export CSV
          </a>
        </span>
      </div>
      {choices({ current: name, typed: { from, to, range: '' }, errors: {}, open: name === undefined })}
      {figures({ ...report, shown: days, today, currency })}
      {chartSheet(bars, unit, currency)}
      {numbersTable({
        ...shared,
        caption: 'By network',
        head: 'Network',
        rows: byCount(report),
        name: (key) => key,
      })}
      {numbersTable({
        ...shared,
        caption: 'By day, newest first',
        head: 'Day',
        rows: report.days.toReversed(),
        name: (key) => shortDayOf(Date.parse(key)),
      })}
    </>
  )
}

/** The page when it is not clear which days are meant: it shows no others in their place. */
function wrongRangePage(typed: TypedRange, errors: RangeErrors): Markup {
  return (
    <>
      <div class="head">
        <h1>Insights</h1>
      </div>
      {wrongNote('These days are not clear, so there is nothing to show.', errors)}
      {choices({ current: undefined, typed, errors, open: true })}
    </>
  )
}

interface Choices {
  current: Range['name']
  typed: TypedRange
  errors: RangeErrors
  open: boolean
}

function choices({ current, typed, errors, open }: Choices): Markup {
  const chips = Object.entries(RANGES).map(([name, days]) => (
    <li>
      <a href={`/insights?range=${name}`} aria-current={name === current ? 'true' : undefined}>
        {days} days
      </a>
    </li>
  ))
  return (
    <div class="choices">
      <ul class="chips" id="range" aria-label="Range">
        {chips}
      </ul>
      {dayForm({ action: '/insights', typed, errors, open, title: 'From and to' })}
    </div>
  )
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

/** The ranges that have a chip: how many days, today included. */
const RANGES = { '7d': 7, '30d': 30, '90d': 90 } as const
type RangeName = keyof typeof RANGES

const USUAL: RangeName = '30d'
/** More would be too many bars, and a table that is too long. */
const MOST_DAYS = 366

/** The range in an address, as typed. */
interface TypedRange extends TypedDays {
  range: string
}

interface Range {
  days: Days
  /** The chip that it has; undefined when the days were named. */
  name: RangeName | undefined
}

type RangeErrors = DayErrors & { range?: string }

/** Reads which days an address asks for, up to today when it does not say. */
function readRange(typed: TypedRange, today: Day): { range: Range } | { errors: RangeErrors } {
  if (typed.from === '' && typed.to === '') return named(typed.range || USUAL, today)
  const { first, last = today, errors } = readDays(typed)
  if (Object.keys(errors).length > 0) return { errors }
  const days = { first: first ?? Math.max(0, last - RANGES[USUAL] + 1), last }
  const length = lengthOf(days)
  if (length < 1) return { errors: { from: `From: expected a day no later than today, got ${typed.from}.` } }
  if (length > MOST_DAYS)
    return { errors: { from: `From: expected at most ${MOST_DAYS} days in all, got ${length}.` } }
  return { range: { days, name: undefined } }
}

function named(name: string, today: Day): { range: Range } | { errors: RangeErrors } {
  if (!isRange(name)) return { errors: { range: `Expected 7d, 30d or 90d as the range, got “${name}”.` } }
  return { range: { days: { first: today - RANGES[name] + 1, last: today }, name } }
}

function isRange(name: string): name is RangeName {
  return Object.hasOwn(RANGES, name)
}
