import type { InsightRow, Report } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, percentOf } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { amountOf, money } from '../../widgets/money.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import { type Day, type Days, isoDay } from '../widgets/days.tsx'
import { isBad } from './bars.ts'

interface Figures extends Pick<Report, 'totals' | 'earlier'> {
  /** The days of the range. */
  shown: Days
  today: Day
  currency: string
}

/** The four figures of a range, each with that of the range before. */
export function figures({ totals, earlier, shown, today, currency }: Figures): Markup {
  const { sent, failed, spend } = totals
  const final = totals.delivered + failed
  const finalBefore = earlier.delivered + earlier.failed
  return (
    <dl class="sheet figures">
      <div>
        <dt>Sent</dt>
        <dd>
          {countOf(sent)}
          <small>{noneBefore(sent, earlier.sent) ?? compared(sent, earlier.sent)}</small>
        </dd>
      </div>
      <div>
        <dt>Delivered</dt>
        <dd>
          {rateOf(totals)}
          <small>{noneBefore(final, finalBefore) ?? `${rateOf(earlier)} before`}</small>
        </dd>
      </div>
      <div>
        <dt>Not delivered</dt>
        <dd>
          {countOf(failed)}
          <small>
            {noneBefore(failed, earlier.failed) ?? `${countOf(earlier.failed)} before`}
            {failed > 0 && (
              <>
                {' '}
                · <a href={inboxHref(shown, today)}>See them</a>
              </>
            )}
          </small>
        </dd>
      </div>
      <div>
        <dt>Spent</dt>
        <dd>
          {money(spend, currency)}
          <small>{noneBefore(spend, earlier.spend) ?? `${amountOf(earlier.spend)} before`}</small>
        </dd>
      </div>
    </dl>
  )
}

/** The comparison with an earlier range that had none; undefined when it had some. */
function noneBefore(now: number, before: number): string | undefined {
  if (before > 0) return undefined
  return now === 0 ? 'none before either' : 'none before'
}

/** How much of what is final was delivered. */
function rateOf({ delivered, failed }: Pick<InsightRow, 'delivered' | 'failed'>): string {
  return percentOf(delivered, delivered + failed)
}

function compared(now: number, before: number): string {
  if (now === before) return 'as many before'
  const change = Math.abs(now - before) / before
  if (change >= 10) return `${countOf(before)} before`
  return `${Math.max(1, Math.round(100 * change))} % ${now > before ? 'more' : 'fewer'} than before`
}

/** The inbox with what was not delivered in these days. */
function inboxHref({ first, last }: Days, today: Day): string {
  const until = last < today ? ` until:${isoDay(last)}` : ''
  const q = `status:undelivered,expired,rejected,failed since:${isoDay(first)}${until}`
  return `/messages?q=${encodeURIComponent(q)}`
}

interface NumbersTable {
  caption: string
  /** The heading of the first column: network or day. */
  head: string
  rows: readonly InsightRow[]
  totals: InsightRow
  currency: string
  /** How a row's key is shown. */
  name(key: string): string
}

/** Every number of the chart, a row for each day or network. */
export function numbersTable({
  caption,
  head,
  rows,
  totals,
  currency,
  name,
}: NumbersTable): Markup | undefined {
  if (rows.length === 0) return undefined
  const most = Math.max(...rows.map(({ sent }) => sent))
  const line = (row: InsightRow) => (
    <tr>
      <th scope="row">
        <bdi>{name(row.key)}</bdi>
      </th>
      {numbers(
        row,
        <>
          {countOf(row.sent)}
          {share(row.sent, most)}
        </>,
      )}
    </tr>
  )
  return (
    <section class="sheet flush">
      <table class="numbers">
        <caption class="unseen">{caption}</caption>
        {tableHead(
          head,
          num('Sent'),
          num('Delivered', 'wide'),
          num('Not delivered', 'wide'),
          num('Pending', 'wide'),
          num('Rate'),
          num(currency),
        )}
        <tbody>{rows.map(line)}</tbody>
        <tfoot>
          <tr>
            <th scope="row">Total</th>
            {numbers(
              totals,
              <>
                {countOf(totals.sent)}
                <span class="share" />
              </>,
            )}
          </tr>
        </tfoot>
      </table>
    </section>
  )
}

function numbers(row: InsightRow, sent: Markup): Markup {
  const { delivered, failed, pending, spend } = row
  return (
    <>
      <td class="num">{sent}</td>
      <td class="num wide">{countOf(delivered)}</td>
      <td class="num wide">{countOf(failed)}</td>
      <td class="num wide">{countOf(pending)}</td>
      <td class="num">
        {isBad(row) ? (
          <span class="state bad">
            {icon('triangle')}
            {rateOf(row)}
          </span>
        ) : (
          rateOf(row)
        )}
      </td>
      <td class="num">{amountOf(spend)}</td>
    </>
  )
}

/** How a row's number compares with the largest one. */
function share(sent: number, most: number): Markup {
  const width = most === 0 ? 0 : (100 * sent) / most
  return (
    <svg class="share" aria-hidden="true">
      <rect class="track" width="100%" height="100%" rx="3" />
      <rect class="bar" width={`${width.toFixed(2)}%`} height="100%" rx="3" />
    </svg>
  )
}
