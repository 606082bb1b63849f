import type { InsightRow } from '../../../messages/history/index.ts'
import { shortDayOf } from '../../times.tsx'
import { type Day, type Days, isoDay, lengthOf, startOf } from '../widgets/days.tsx'

/** The messages of a day, or of a week when there are too many days to draw. */
export interface Bar extends Record<'sent' | 'delivered' | 'failed' | 'pending' | 'spend', number> {
  /** The label below the bar: `21 Nov`. */
  label: string
  /** The full name: `21 Nov`, `16 to 22 Nov`. */
  name: string
}

/** The days of the longest quarter. A year of days would be bars of less than a pixel on a phone. */
const MOST_BARS = 92

export type Unit = 'day' | 'week'

export function unitOf(days: Days): Unit {
  return lengthOf(days) > MOST_BARS ? 'week' : 'day'
}

/** A bar for each day of a range, or for each week from Monday on, including those without messages. */
export function barsOf(days: Days, rows: readonly InsightRow[]): Bar[] {
  const byDay = new Map(rows.map((row) => [row.key, row]))
  return partsOf(days).map((part) => {
    const sum = { sent: 0, delivered: 0, failed: 0, pending: 0, spend: 0 }
    for (let day = part.first; day <= part.last; day++) {
      const row = byDay.get(isoDay(day))
      if (!row) continue
      sum.sent += row.sent
      sum.delivered += row.delivered
      sum.failed += row.failed
      sum.pending += row.pending
      sum.spend += row.spend
    }
    return { ...sum, label: shortDayOf(startOf(part.first)), name: nameOf(part) }
  })
}

function partsOf(days: Days): Days[] {
  const size = unitOf(days) === 'week' ? 7 : 1
  const parts: Days[] = []
  for (let first = days.first; first <= days.last; ) {
    const next = size === 7 ? mondayAfter(first) : first + 1
    parts.push({ first, last: Math.min(next - 1, days.last) })
    first = next
  }
  return parts
}

/** 1970-01-01 was a Thursday. */
function mondayAfter(day: Day): Day {
  return day + 7 - ((day + 3) % 7)
}

/** Says the month once where both ends share it. */
function nameOf({ first, last }: Days): string {
  const [from, to] = [shortDayOf(startOf(first)), shortDayOf(startOf(last))]
  if (first === last) return from
  const [day, month] = from.split(' ')
  return to.endsWith(` ${month}`) && last - first < 31 ? `${day} to ${to}` : `${from} to ${to}`
}

/** Where a bar is, in percent of the chart's width. */
export interface Slot {
  /** Where its day or week begins, and how much of the width that has. */
  start: number
  room: number
  x: number
  width: number
  centre: number
}

/** Where a part of a bar is, in percent of the chart's height. */
export interface Part {
  y: number
  height: number
}

const FILLED = 0.73
const WIDEST = 7

/** So many bars beside each other, of one width, which fill the chart unless they are few. */
export function slotsOf(count: number): Slot[] {
  const room = 100 / count
  const width = Math.min(room * FILLED, WIDEST)
  return Array.from({ length: count }, (_, index) => {
    const start = room * index
    return { start, room, width, x: start + (room - width) / 2, centre: start + room / 2 }
  })
}

/** The parts of a bar on top of each other, from the axis up. */
export function stackOf(values: readonly number[], top: number): Part[] {
  let below = 0
  return values.map((value) => {
    const height = (100 * value) / top
    below += height
    return { y: 100 - below, height }
  })
}

/** Which bars have a label: the last, and others so far from each other that five fit at any width. */
export function labelled(count: number): ReadonlySet<number> {
  const least = Math.ceil(count / 5)
  const step = count > 14 ? Math.ceil(least / 7) * 7 : least
  const chosen = new Set<number>()
  for (let index = count - 1; index >= 0; index -= step) chosen.add(index)
  return chosen
}

/** A bar of which too little was delivered. */
export interface Mark {
  index: number
  /** The share of its final messages that were not delivered. */
  share: number
  /** Where its figure stands: above its bar and those that it would hide. */
  y: number
  /** Where its bar ends. */
  barY: number
}

const TOO_MANY = 0.05
/** How far two marks have to be from each other, in percent of the width, for their figures to fit. */
const APART = 20
/** How far a figure reaches to either side of its bar. */
const REACH = APART / 2

/** Of fewer final messages than these, one alone is more than 5 %: that says nothing. */
export const LEAST_JUDGED = 20

export function isJudged({ delivered, failed }: Pick<Bar, 'delivered' | 'failed'>): boolean {
  return delivered + failed >= LEAST_JUDGED
}

export function isBad(bar: Pick<Bar, 'delivered' | 'failed'>): boolean {
  return isJudged(bar) && shareOf(bar) > TOO_MANY
}

/** The worst bars, as many as have room for a figure. The others are in the table and in the chart's sentence. */
export function marksOf(bars: readonly Bar[], slots: readonly Slot[], top: number): Mark[] {
  const heights = bars.map(({ delivered, failed }) => (100 * (delivered + failed)) / top)
  const centreOf = (index: number) => slots[index]?.centre ?? 0
  const worst = bars
    .map((bar, index) => ({ index, share: shareOf(bar), bar }))
    .filter(({ bar }) => isBad(bar))
    .sort((a, b) => b.share - a.share || b.bar.failed - a.bar.failed)
  const marks: Mark[] = []
  for (const { index, share } of worst) {
    const near = (other: number, reach: number) => Math.abs(centreOf(other) - centreOf(index)) < reach
    if (marks.some((mark) => near(mark.index, APART))) continue
    const tallest = Math.max(...heights.filter((_, other) => near(other, REACH)))
    marks.push({ index, share, y: 100 - tallest, barY: 100 - (heights[index] ?? 0) })
  }
  return marks.sort((a, b) => a.index - b.index)
}

/** How much of what is final was not delivered. */
export function shareOf({ delivered, failed }: Pick<Bar, 'delivered' | 'failed'>): number {
  return delivered + failed === 0 ? 0 : failed / (delivered + failed)
}

/** An axis: where it ends, and the values that have a line, from 0 up. */
export interface Scale {
  top: number
  ticks: readonly number[]
}

const ROUND = [1, 2, 3, 4, 5, 6, 8, 10]

/** An axis of so many round steps that holds the largest value. Without anything to show it is its 0. */
export function scaleOf(largest: number, steps: number): Scale {
  if (largest <= 0) return { top: 1, ticks: [0] }
  const least = Math.max(1, largest / steps)
  const power = 10 ** Math.floor(Math.log10(least))
  // Rounding in between can leave the last candidate a hair below what is needed; the next power always holds it.
  const step = (ROUND.find((round) => round * power >= least) ?? 20) * power
  return { top: step * steps, ticks: Array.from({ length: steps + 1 }, (_, index) => index * step) }
}
