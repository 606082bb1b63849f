import { type EpochMs, epochMs } from '../../domain/ids.ts'

const DAY_MS = 86_400_000

/** A day in UTC, counted from 1970-01-01. */
export type Day = number

/** Days in UTC. Both ends belong to the range. */
export interface Days {
  first: Day
  last: Day
}

export function dayAt(at: EpochMs): Day {
  return Math.floor(at / DAY_MS)
}

/** When a day begins. */
export function startOf(day: Day): EpochMs {
  return epochMs(day * DAY_MS)
}

/** `2026-11-21` */
export function isoDay(day: Day): string {
  return new Date(startOf(day)).toISOString().slice(0, 10)
}

/** What was asked for in an address or a form. */
export interface TypedDays {
  from: string
  to: string
}

/** What is wrong with the days that were asked for, by field. */
export type DayErrors = Partial<Record<keyof TypedDays, string>>

/** The days that were asked for; an end that was left out is undefined. */
export interface DaysRead {
  first: Day | undefined
  last: Day | undefined
  errors: DayErrors
}

export function readDays({ from, to }: TypedDays): DaysRead {
  const first = readDay(from)
  const last = readDay(to)
  const errors: DayErrors = {
    ...(first === 'wrong' && { from: `From: ${expected(from)}` }),
    ...(last === 'wrong' && { to: `To: ${expected(to)}` }),
  }
  if (first === 'wrong' || last === 'wrong') return { first: undefined, last: undefined, errors }
  if (first !== undefined && last !== undefined && first > last) {
    errors.from = `From: expected a day no later than ${to}, got ${from}.`
  }
  return { first, last, errors }
}

function expected(text: string): string {
  return `expected a day since 1970, such as 2026-11-21, got “${text}”.`
}

function readDay(text: string): Day | undefined | 'wrong' {
  if (text === '') return undefined
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // 30 February is read as a day of March, so the day has to come back as it was written.
  return at >= 0 && isoDay(at / DAY_MS) === text ? at / DAY_MS : 'wrong'
}
