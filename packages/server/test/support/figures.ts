import { appendFileSync } from 'node:fs'
import { expect } from 'vitest'

/** A line of a report: what was counted or measured, and what it must be. */
export interface Figure {
  what: string
  figure: string
  goal: string
}

export type Bound = { is: number } | { atLeast: number } | { atMost: number }

/** A number, or all that was found wrong: its length is the figure, and a test that fails names the first of it. */
export type Counted = number | readonly unknown[]

export type Figures = Record<string, number | [Counted, Bound]>

/** How many of what was found wrong a failure names. */
const NAMED = 5

/** Picks what fits the run: `npm run torture` takes the full form, with `--short` the short one. */
export function atLength<T>({ short, full }: { short: T; full: T }): T {
  return process.env.TORTURE === 'full' ? full : short
}

/**
 * Fails the test unless each figure is within its bound. `npm run torture` collects them for its report, those that are
 * out of bounds too. A figure without a bound says how much was tried.
 */
export function checkFigures(scene: string, figures: Figures): void {
  const file = process.env.TORTURE_FIGURES
  for (const [what, value] of Object.entries(figures)) {
    const [counted, bound] = Array.isArray(value) ? value : [value]
    const line: Figure = {
      what: `${scene}: ${what}`,
      figure: numberOf(counted).toLocaleString('en'),
      goal: bound ? goalOf(bound) : '',
    }
    if (file) appendFileSync(file, `${JSON.stringify(line)}\n`)
  }
  for (const [what, value] of Object.entries(figures)) {
    if (Array.isArray(value)) expectWithin(`${scene}: ${what}`, ...value)
  }
}

/** Whether each figure is within its bound. */
export function areWithin(figures: Figures): boolean {
  return Object.values(figures).every((value) => {
    if (!Array.isArray(value)) return true
    const [counted, bound] = value
    const figure = numberOf(counted)
    if ('is' in bound) return figure === bound.is
    return 'atLeast' in bound ? figure >= bound.atLeast : figure <= bound.atMost
  })
}

/** The figures of several runs together. Each fault names its run. */
export function addUp(runs: ReadonlyMap<string, Figures>): Figures {
  const sum: Figures = {}
  for (const [run, figures] of runs)
    for (const [what, value] of Object.entries(figures)) sum[what] = plus(sum[what], value, run)
  return sum
}

function plus(sum: Figures[string] | undefined, value: Figures[string], run: string): Figures[string] {
  const [before] = Array.isArray(sum) ? sum : [sum]
  if (!Array.isArray(value)) return numberOf(before ?? 0) + value
  const [counted, bound] = value
  if (typeof counted === 'number') return [numberOf(before ?? 0) + counted, bound]
  const known = typeof before === 'object' ? before : []
  return [[...known, ...counted.map((found) => ({ run, found }))], bound]
}

function goalOf(bound: Bound): string {
  if ('is' in bound) return `${bound.is}`
  return 'atLeast' in bound
    ? `≥ ${bound.atLeast.toLocaleString('en')}`
    : `≤ ${bound.atMost.toLocaleString('en')}`
}

function numberOf(counted: Counted): number {
  return typeof counted === 'number' ? counted : counted.length
}

function expectWithin(what: string, counted: Counted, bound: Bound): void {
  const figure = numberOf(counted)
  const named = typeof counted === 'number' ? [] : counted.slice(0, NAMED)
  const message = [what, ...named.map((each) => JSON.stringify(each))].join('\n  ')
  if ('is' in bound) expect(figure, message).toBe(bound.is)
  else if ('atLeast' in bound) expect(figure, message).toBeGreaterThanOrEqual(bound.atLeast)
  else expect(figure, message).toBeLessThanOrEqual(bound.atMost)
}
