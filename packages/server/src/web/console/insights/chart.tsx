import type { Markup } from '../../../net/pages/markup.ts'
import { countOf, several } from '../../count.ts'
import { amountOf, money } from '../../widgets/money.tsx'
import {
  type Bar,
  isBad,
  isJudged,
  LEAST_JUDGED,
  labelled,
  type Mark,
  marksOf,
  type Part,
  type Scale,
  type Slot,
  scaleOf,
  shareOf,
  slotsOf,
  stackOf,
  type Unit,
} from './bars.ts'

/** Places are percentages, so that bars stretch with the window and words do not. */
export function chartSheet(bars: readonly Bar[], unit: Unit, currency: string): Markup {
  const slots = slotsOf(bars.length)
  const messages = scaleOf(Math.max(...bars.map(({ delivered, failed }) => delivered + failed)), 3)
  const spend = scaleOf(Math.max(...bars.map((bar) => bar.spend)), 2)
  const marks = marksOf(bars, slots, messages.top)
  return (
    <section class="sheet">
      <div class="head">
        <h2>Messages a {unit}</h2>
        {legend(marks.length > 0)}
      </div>
      {bars.every(({ sent }) => sent === 0) && <p class="soft">Nothing was sent in these days.</p>}
      <div class="chart">
        {axis(messages, countOf)}
        <svg class="plot" role="img" aria-label={messagesFinding(bars, unit)}>
          {lines(messages)}
          {bars.map((bar, index) => messagesBar(bar, slotAt(slots, index), messages))}
          {line(100)}
          {marks.map((mark) => figure(mark, slotAt(slots, mark.index)))}
        </svg>{' '}
        {labels(bars, slots)}
        <h3>
          Spend a {unit}, {currency}
        </h3>
        {axis(spend, roundAmount)}
        <svg class="plot low" role="img" aria-label={spendFinding(bars, unit, currency)}>
          {lines(spend)}
          {bars.map((bar, index) => spendBar(bar, slotAt(slots, index), spend, currency))}
          {line(100)}
        </svg>
      </div>
    </section>
  )
}

function legend(marked: boolean): Markup {
  return (
    <p class="legend end">
      <span class="state">
        <svg class="swatch" aria-hidden="true">
          <rect class="bar" width="14" height="14" />
        </svg>
        Delivered
      </span>
      <span class="state">
        <svg class="swatch" aria-hidden="true">
          <defs>
            <pattern
              id="hatch"
              width="5"
              height="5"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect class="bar-bad" width="5" height="5" />
              <line class="hatching" y2="5" />
            </pattern>
          </defs>
          <rect fill="url(#hatch)" width="14" height="14" />
        </svg>
        Not delivered
      </span>
      {marked && (
        <span class="state">
          <svg class="swatch" aria-hidden="true">
            {triangle(7, 12)}
          </svg>
          More than 5 % not
        </span>
      )}
    </p>
  )
}

function axis({ ticks }: Scale, write: (value: number) => string): Markup {
  return (
    <div class="axis" aria-hidden="true">
      {[...ticks].reverse().map((tick) => (
        <span>{tick === 0 ? '0' : write(tick)}</span>
      ))}
    </div>
  )
}

/** The steps of an axis are round: `0.05`, `60`. */
function roundAmount(amount: number): string {
  return amountOf(amount).replace(/\.00$/, '')
}

function lines({ ticks, top }: Scale): Markup[] {
  return ticks.filter((tick) => tick > 0).map((tick) => line(100 - (100 * tick) / top))
}

function line(y: number): Markup {
  return <line x1="0" x2="100%" y1={percent(y)} y2={percent(y)} />
}

/** The whole height of a day says what is in it, so that a day of few messages can be pointed at. */
function messagesBar(bar: Bar, slot: Slot, { top }: Scale): Markup {
  const { name, delivered, failed, pending } = bar
  const [solid, hatched] = stackOf([delivered, failed], top)
  return (
    <g>
      <title>
        {name}: {countOf(delivered)} delivered, {countOf(failed)} not, {countOf(pending)} pending
      </title>
      {reach(slot)}
      {solid && rect('bar', slot, solid)}
      {hatched && rect('hatched', slot, hatched)}
    </g>
  )
}

function spendBar({ name, spend }: Bar, slot: Slot, { top }: Scale, currency: string): Markup {
  const [solid] = stackOf([spend], top)
  return (
    <g>
      <title>
        {name}: {money(spend, currency)}
      </title>
      {reach(slot)}
      {solid && rect('bar-quiet', slot, solid)}
    </g>
  )
}

/** The pattern is named here because a stylesheet would look for it in itself. */
function rect(look: 'bar' | 'hatched' | 'bar-quiet', { x, width }: Slot, { y, height }: Part): Markup {
  return (
    <rect
      class={look}
      fill={look === 'hatched' ? 'url(#hatch)' : undefined}
      x={percent(x)}
      y={percent(y)}
      width={percent(width)}
      height={percent(height)}
    />
  )
}

function reach({ start, room }: Slot): Markup {
  return <rect class="reach" x={percent(start)} width={percent(room)} height="100%" />
}

/** A triangle and the share that was not delivered, with a line down to the bar where others are in between. */
function figure({ share, y, barY }: Mark, { centre }: Slot): Markup {
  return (
    <g aria-hidden="true">
      {barY > y && (
        <line class="leader" x1={percent(centre)} x2={percent(centre)} y1={percent(y)} y2={percent(barY)} />
      )}
      <svg class="figure" x={percent(within(centre))} y={percent(y)}>
        {triangle(-14, -5)}
        <text x="-6" y="-5">
          {wholePercent(share)}
        </text>
      </svg>
    </g>
  )
}

/** Keeps the figures of the first and the last bar inside the sheet, at any width. */
function within(centre: number): number {
  return Math.min(98, Math.max(2, centre))
}

function triangle(x: number, y: number): Markup {
  return <path class="warning" d={`M${x - 5} ${y}h10l-5 -9Z`} />
}

function labels(bars: readonly Bar[], slots: readonly Slot[]): Markup {
  const chosen = labelled(bars.length)
  const texts = bars.flatMap(({ label }, index) =>
    chosen.has(index)
      ? [
          <text x={percent(slotAt(slots, index).centre)} y="12">
            {label}
          </text>,
        ]
      : [],
  )
  return (
    <svg class="labels" aria-hidden="true">
      {texts}
    </svg>
  )
}

function slotAt(slots: readonly Slot[], index: number): Slot {
  const slot = slots[index]
  if (!slot) throw new RangeError(`expected one of ${slots.length} bars, got ${index}`)
  return slot
}

function percent(value: number): string {
  return `${value.toFixed(2)}%`
}

const ALL = 'The tables below have every number.'

/** The chart of messages in words, for people who can't see it. */
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

/** The chart of spending in words. */
export function spendFinding(bars: readonly Bar[], unit: Unit, currency: string): string {
  const total = bars.reduce((sum, { spend }) => sum + spend, 0)
  const [most] = [...bars].sort((a, b) => b.spend - a.spend)
  const title = `Spend a ${unit} in ${currency}`
  if (!most || total === 0) return `${title}: nothing was spent in these days.`
  const on = unit === 'day' ? `on ${most.name}` : `in the week of ${most.name}`
  return `${title}: ${amountOf(total)} in all, most ${on} with ${amountOf(most.spend)}. ${ALL}`
}

function wholePercent(share: number): string {
  return `${Math.round(100 * share)} %`
}
