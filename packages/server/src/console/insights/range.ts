import { type Day, type DayErrors, type Days, readDays, type TypedDays } from '../widgets/days.ts'

/** The ranges that have a chip: how many days, today included. */
export const RANGES = { '7d': 7, '30d': 30, '90d': 90 } as const
export type RangeName = keyof typeof RANGES

const USUAL: RangeName = '30d'
/** More would be too many bars, and a table that is too long. */
const MOST_DAYS = 366

/** What an address asks for. */
export interface TypedRange extends TypedDays {
  range: string
}

export interface Range {
  days: Days
  /** The chip that it has; undefined when the days were named. */
  name: RangeName | undefined
}

export type RangeErrors = DayErrors & { range?: string }

/** Reads which days an address asks for, up to today when it does not say. */
export function readRange(typed: TypedRange, today: Day): { range: Range } | { errors: RangeErrors } {
  if (typed.from === '' && typed.to === '') return named(typed.range || USUAL, today)
  const { first, last = today, errors } = readDays(typed)
  if (Object.keys(errors).length > 0) return { errors }
  const days = { first: first ?? Math.max(0, last - RANGES[USUAL] + 1), last }
  const length = lengthOf(days)
  if (length < 1) return { errors: { from: `From: expected a day no later than today, got ${typed.from}.` } }
  if (length > MOST_DAYS)
    return { errors: { from: `From: expected at most ${MOST_DAYS} days in all, got ${length}.` } }
  return { range: { days, name: undefined } }
}

export function lengthOf({ first, last }: Days): number {
  return last - first + 1
}

function named(name: string, today: Day): { range: Range } | { errors: RangeErrors } {
  if (!isRange(name)) return { errors: { range: `Expected 7d, 30d or 90d as the range, got “${name}”.` } }
  return { range: { days: { first: today - RANGES[name] + 1, last: today }, name } }
}

function isRange(name: string): name is RangeName {
  return Object.hasOwn(RANGES, name)
}
