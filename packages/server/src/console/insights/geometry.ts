import type { Bar } from './bars.ts'

/** Where a bar is, in percent of the chart's width and height. */
export interface Slot {
  /** Where its day begins, and how much of the width that has. */
  start: number
  room: number
  x: number
  width: number
  centre: number
}

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
