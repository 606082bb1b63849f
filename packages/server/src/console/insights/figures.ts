import type { InsightRow, Report } from '../../history/index.ts'
import { countOf, percentOf } from '../../pages/count.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { type Day, isoDay } from '../widgets/days.ts'
import type { Range } from './range.ts'

export interface Figures extends Pick<Report, 'totals' | 'earlier'> {
  range: Range
  today: Day
  currency: string
}

/** The four figures of a range, each with that of the range before. */
export function figures({ totals, earlier, range, today, currency }: Figures): Markup {
  const { sent, failed, spend } = totals
  const final = totals.delivered + failed
  const finalBefore = earlier.delivered + earlier.failed
  return markup`<dl class="sheet figures"><div><dt>Sent</dt><dd>${countOf(sent)}<small>${noneBefore(sent, earlier.sent) ?? compared(sent, earlier.sent)}</small></dd></div><div><dt>Delivered</dt><dd>${rateOf(totals)}<small>${noneBefore(final, finalBefore) ?? `${rateOf(earlier)} before`}</small></dd></div><div><dt>Not delivered</dt><dd>${countOf(failed)}<small>${noneBefore(failed, earlier.failed) ?? `${countOf(earlier.failed)} before`}${failed > 0 && markup` · <a href="${inboxHref(range, today)}">See them</a>`}</small></dd></div><div><dt>Spent</dt><dd>${currency} ${amountOf(spend)}<small>${noneBefore(spend, earlier.spend) ?? `${amountOf(earlier.spend)} before`}</small></dd></div></dl>`
}

/** What every figure says of a range before that had none of it. */
function noneBefore(now: number, before: number): string | undefined {
  if (before > 0) return undefined
  return now === 0 ? 'none before either' : 'none before'
}

/** How much of what is final was delivered. */
export function rateOf({ delivered, failed }: Pick<InsightRow, 'delivered' | 'failed'>): string {
  return percentOf(delivered, delivered + failed)
}

function compared(now: number, before: number): string {
  if (now === before) return 'as many before'
  const change = Math.abs(now - before) / before
  if (change >= 10) return `${countOf(before)} before`
  return `${Math.max(1, Math.round(100 * change))} % ${now > before ? 'more' : 'fewer'} than before`
}

/** The inbox with what was not delivered in these days. */
function inboxHref({ days: { first, last } }: Range, today: Day): string {
  const until = last < today ? ` until:${isoDay(last)}` : ''
  const q = `status:undelivered,expired,rejected,failed since:${isoDay(first)}${until}`
  return `/messages?q=${encodeURIComponent(q)}`
}
