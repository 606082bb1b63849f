import { countOf } from '../../pages/count.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Bar, Unit } from './bars.ts'
import { messagesFinding, spendFinding, wholePercent } from './finding.ts'
import { labelled, type Mark, marksOf, type Part, type Slot, slotsOf, stackOf } from './geometry.ts'
import { type Scale, scaleOf } from './scale.ts'

/** Places are percentages, so that bars stretch with the window and words do not. */
export function chartSheet(bars: readonly Bar[], unit: Unit, currency: string): Markup {
  const slots = slotsOf(bars.length)
  const messages = scaleOf(Math.max(...bars.map(({ delivered, failed }) => delivered + failed)), 3)
  const spend = scaleOf(Math.max(...bars.map((bar) => bar.spend)), 2)
  const marks = marksOf(bars, slots, messages.top)
  return markup`<section class="sheet"><div class="head"><h2>Messages a ${unit}</h2>${legend(marks.length > 0)}</div>
${bars.every(({ sent }) => sent === 0) && markup`<p class="soft">Nothing was sent in these days.</p>`}
<div class="chart">${axis(messages, countOf)}<svg class="plot" role="img" aria-label="${messagesFinding(bars, unit)}">${lines(messages)}${bars.map((bar, index) => messagesBar(bar, slotAt(slots, index), messages))}${line(100)}${marks.map((mark) => figure(mark, slotAt(slots, mark.index)))}</svg>
${labels(bars, slots)}
<h3>Spend a ${unit}, ${currency}</h3>
${axis(spend, roundAmount)}<svg class="plot low" role="img" aria-label="${spendFinding(bars, unit, currency)}">${lines(spend)}${bars.map((bar, index) => spendBar(bar, slotAt(slots, index), spend, currency))}${line(100)}</svg></div></section>`
}

function legend(marked: boolean): Markup {
  return markup`<p class="legend end"><span class="state"><svg class="swatch" aria-hidden="true"><rect class="bar" width="14" height="14"/></svg>Delivered</span><span class="state"><svg class="swatch" aria-hidden="true"><defs><pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="bar-bad" width="5" height="5"/><line class="hatching" y2="5"/></pattern></defs><rect fill="url(#hatch)" width="14" height="14"/></svg>Not delivered</span>${marked && markup`<span class="state"><svg class="swatch" aria-hidden="true">${triangle(7, 12)}</svg>More than 5 % not</span>`}</p>`
}

function axis({ ticks }: Scale, write: (value: number) => string): Markup {
  return markup`<div class="axis" aria-hidden="true">${[...ticks].reverse().map((tick) => markup`<span>${tick === 0 ? '0' : write(tick)}</span>`)}</div>`
}

/** The steps of an axis are round: `0.05`, `60`. */
function roundAmount(amount: number): string {
  return amountOf(amount).replace(/\.?0+$/, '')
}

function lines({ ticks, top }: Scale): Markup[] {
  return ticks.filter((tick) => tick > 0).map((tick) => line(100 - (100 * tick) / top))
}

function line(y: number): Markup {
  return markup`<line x1="0" x2="100%" y1="${percent(y)}" y2="${percent(y)}"/>`
}

/** The whole height of a day says what is in it, so that a day of few messages can be pointed at. */
function messagesBar(bar: Bar, slot: Slot, { top }: Scale): Markup {
  const { name, delivered, failed, pending } = bar
  const [solid, hatched] = stackOf([delivered, failed], top)
  return markup`<g><title>${name}: ${countOf(delivered)} delivered, ${countOf(failed)} not, ${countOf(pending)} pending</title>${reach(slot)}${solid && rect('bar', slot, solid)}${hatched && rect('hatched', slot, hatched)}</g>`
}

function spendBar({ name, spend }: Bar, slot: Slot, { top }: Scale, currency: string): Markup {
  const [solid] = stackOf([spend], top)
  return markup`<g><title>${name}: ${currency} ${amountOf(spend)}</title>${reach(slot)}${solid && rect('bar-quiet', slot, solid)}</g>`
}

/** The pattern is named here because a stylesheet would look for it in itself. */
function rect(look: 'bar' | 'hatched' | 'bar-quiet', { x, width }: Slot, { y, height }: Part): Markup {
  return markup`<rect class="${look}"${look === 'hatched' && markup` fill="url(#hatch)"`} x="${percent(x)}" y="${percent(y)}" width="${percent(width)}" height="${percent(height)}"/>`
}

function reach({ start, room }: Slot): Markup {
  return markup`<rect class="reach" x="${percent(start)}" width="${percent(room)}" height="100%"/>`
}

/** A triangle and the share that was not delivered, with a line down to the bar where others are in between. */
function figure({ share, y, barY }: Mark, { centre }: Slot): Markup {
  return markup`<g aria-hidden="true">${barY > y && markup`<line class="leader" x1="${percent(centre)}" x2="${percent(centre)}" y1="${percent(y)}" y2="${percent(barY)}"/>`}<svg class="figure" x="${percent(within(centre))}" y="${percent(y)}">${triangle(-14, -5)}<text x="-6" y="-5">${wholePercent(share)}</text></svg></g>`
}

/** Keeps the figures of the first and the last bar inside the sheet, at any width. */
function within(centre: number): number {
  return Math.min(98, Math.max(2, centre))
}

function triangle(x: number, y: number): Markup {
  return markup`<path class="warning" d="M${x - 5} ${y}h10l-5 -9Z"/>`
}

function labels(bars: readonly Bar[], slots: readonly Slot[]): Markup {
  const chosen = labelled(bars.length)
  const texts = bars.flatMap(({ label }, index) =>
    chosen.has(index)
      ? [markup`<text x="${percent(slotAt(slots, index).centre)}" y="12">${label}</text>`]
      : [],
  )
  return markup`<svg class="labels" aria-hidden="true">${texts}</svg>`
}

function slotAt(slots: readonly Slot[], index: number): Slot {
  const slot = slots[index]
  if (!slot) throw new RangeError(`expected one of ${slots.length} bars, got ${index}`)
  return slot
}

function percent(value: number): string {
  return `${value.toFixed(2)}%`
}
