import type { InsightRow } from '../../history/index.ts'
import { countOf } from '../../pages/count.ts'
import { icon } from '../../pages/icons.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { rateOf } from './figures.ts'
import { isBad } from './geometry.ts'

export interface NumbersTable {
  caption: string
  /** What a row is: a network, a day. */
  head: string
  rows: readonly InsightRow[]
  totals: InsightRow
  currency: string
  /** How a row's key is shown. */
  name(key: string): string
}

/** Every number of the chart, a row for each day or network. */
export function numbersTable({ caption, head, rows, totals, currency, name }: NumbersTable): Markup {
  if (rows.length === 0) return markup``
  const most = Math.max(...rows.map(({ sent }) => sent))
  const line = (row: InsightRow) =>
    markup`<tr><th scope="row"><bdi>${name(row.key)}</bdi></th>${numbers(row, markup`${countOf(row.sent)}${share(row.sent, most)}`)}</tr>`
  return markup`<section class="sheet flush"><table class="numbers"><caption class="unseen">${caption}</caption><thead><tr><th scope="col">${head}</th><th scope="col" class="num">Sent</th><th scope="col" class="num wide">Delivered</th><th scope="col" class="num wide">Not</th><th scope="col" class="num wide">Pending</th><th scope="col" class="num">Rate</th><th scope="col" class="num">${currency}</th></tr></thead>
<tbody>${rows.map(line)}</tbody><tfoot><tr><th scope="row">Total</th>${numbers(totals, markup`${countOf(totals.sent)}<span class="share"></span>`)}</tr></tfoot></table></section>`
}

function numbers(row: InsightRow, sent: Markup): Markup {
  const { delivered, failed, pending, spend } = row
  return markup`<td class="num">${sent}</td><td class="num wide">${countOf(delivered)}</td><td class="num wide">${countOf(failed)}</td><td class="num wide">${countOf(pending)}</td><td class="num">${isBad(row) ? markup`<span class="state bad">${icon('triangle')}${rateOf(row)}</span>` : rateOf(row)}</td><td class="num">${amountOf(spend)}</td>`
}

/** How a row's number compares with the largest one. */
function share(sent: number, most: number): Markup {
  const width = most === 0 ? 0 : (100 * sent) / most
  return markup`<svg class="share" aria-hidden="true"><rect class="track" width="100%" height="100%" rx="3"/><rect class="bar" width="${width.toFixed(2)}%" height="100%" rx="3"/></svg>`
}
