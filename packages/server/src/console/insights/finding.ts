import { countOf, several } from '../../pages/count.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import type { Bar, Unit } from './bars.ts'
import { isBad, isJudged, LEAST_JUDGED, shareOf } from './geometry.ts'

const ALL = 'The tables below have every number.'

/** What the chart of messages shows, for those who do not see it. */
export function messagesFinding(bars: readonly Bar[], unit: Unit): string {
  const [most] = [...bars].sort((a, b) => b.sent - a.sent)
  const title = `Messages a ${unit}`
  if (!most || most.sent === 0) return `${title}: nothing was sent in these days.`
  const { name, sent, delivered, failed, pending } = most
  if (bars.length === 1) {
    return `Messages on ${name}: ${countOf(sent)}, of which ${countOf(delivered)} delivered, ${countOf(failed)} not and ${countOf(pending)} pending.`
  }
  const least = Math.min(...bars.map((bar) => bar.sent))
  const on = unit === 'day' ? `on ${name}` : `in the week of ${name}`
  return `${title}: between ${countOf(least)} and ${countOf(sent)}, most ${on}. ${deliveryFinding(bars, unit)} ${ALL}`
}

function deliveryFinding(bars: readonly Bar[], unit: Unit): string {
  const final = bars.filter(({ delivered, failed }) => delivered + failed > 0)
  if (final.length === 0) return 'None of them is final yet.'
  const judged = final.filter(isJudged)
  const [worst, ...others] = [...judged].sort((a, b) => shareOf(b) - shareOf(a))
  const [next] = others
  if (!worst) return `${countOf(failedIn(final))} of ${countOf(finalIn(final))} were not delivered.`
  const enough = judged.length < final.length ? ` with ${LEAST_JUDGED} messages or more` : ''
  if (!isBad(worst)) return `At least 95 % were delivered on every ${unit}${enough}.`
  const of = (bar: Bar) => `${wholePercent(shareOf(bar))} were not delivered`
  const on = unit === 'day' ? 'On' : 'In the week of'
  if (!next) return `On ${worst.name} ${of(worst)}.`
  const bad = judged.filter(isBad)
  if (bad.length > 1) {
    return `On ${several(bad.length, unit)} more than 5 % were not delivered, most on ${worst.name} with ${wholePercent(shareOf(worst))}.`
  }
  return `${on} ${worst.name} ${of(worst)}, on the other ${unit}s${enough} ${atMost(shareOf(next))}.`
}

function failedIn(bars: readonly Bar[]): number {
  return bars.reduce((sum, { failed }) => sum + failed, 0)
}

function finalIn(bars: readonly Bar[]): number {
  return bars.reduce((sum, { delivered, failed }) => sum + delivered + failed, 0)
}

function atMost(share: number): string {
  return share === 0 ? 'none' : `at most ${Math.ceil(100 * share)} %`
}

/** The same of what was spent. */
export function spendFinding(bars: readonly Bar[], unit: Unit, currency: string): string {
  const total = bars.reduce((sum, { spend }) => sum + spend, 0)
  const [most] = [...bars].sort((a, b) => b.spend - a.spend)
  const title = `Spend a ${unit} in ${currency}`
  if (!most || total === 0) return `${title}: nothing was spent in these days.`
  const on = unit === 'day' ? `on ${most.name}` : `in the week of ${most.name}`
  return `${title}: ${amountOf(total)} in all, most ${on} with ${amountOf(most.spend)}. ${ALL}`
}

export function wholePercent(share: number): string {
  return `${Math.round(100 * share)} %`
}
