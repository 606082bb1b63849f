import { microsOfSum, toDecimal } from '@wigwag/contract'
import type { Report } from '../../history/index.ts'
import { csvReply } from '../../pages/csv.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { dayAt, isoDay, startOf } from '../widgets/days.ts'
import { insightsPage, wrongRangePage } from './page.ts'
import { type Range, readRange, type TypedRange } from './range.ts'

/** What was sent, delivered and spent in a range of days, as a page and as a file. */
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
