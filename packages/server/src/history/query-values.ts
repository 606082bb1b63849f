import { Problem } from '../domain/errors.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { STATUSES, type Status } from '../domain/message.ts'
import { nearestOf } from '../domain/nearest.ts'
import { checkReference } from '../domain/reference.ts'

/** A value that was understood, or what is wrong with it and the value that was probably meant. */
export type Reading<T> = { value: T } | { problem: string; instead?: string }

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const DAY_MS = 86_400_000
const AGO = /^(\d{1,6})([mhdw])$/i
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z?$/i
const TIMES =
  'Expected such as 30m, 6h, 2d or 2w, a day such as 2026-01-31, or a time such as 2026-01-31T09:30, in UTC.'

/** A time in UTC: so long ago, or a day, or a time of a day. A day ends a range at its end. */
export function readTime(text: string, now: EpochMs, end: 'since' | 'until'): Reading<EpochMs> {
  const [, count, unit = ''] = AGO.exec(text) ?? []
  if (count !== undefined) return { value: atLeast0(now - Number(count) * (UNITS[unit.toLowerCase()] ?? 0)) }
  const [, day = text, minute = '00:00', second = '00', fraction = ''] = TIME.exec(text) ?? []
  const iso = `${day}T${minute}:${second}.${fraction.padEnd(3, '0')}Z`
  const at = Date.parse(iso)
  // Some days that don't exist, such as 30 February, would be read as others.
  if (!DAY.test(day) || Number.isNaN(at) || new Date(at).toISOString() !== iso) {
    return { problem: `“${text}” is not a time. ${TIMES}` }
  }
  return { value: atLeast0(end === 'until' && DAY.test(text) ? at + DAY_MS : at) }
}

function atLeast0(at: number): EpochMs {
  return epochMs(Math.max(0, at))
}

/** A recipient's number. The plus sign, blanks and what people group digits with are forgiven. */
export function readNumber(text: string): Reading<string> {
  const digits = text.replace(/[+\s().-]/g, '')
  if (/^[1-9]\d{6,14}$/.test(digits)) return { value: digits }
  const expected = 'Expected 7 to 15 digits that begin with a country code, such as 233241234567.'
  return { problem: `“${text}” is not a number. ${expected}` }
}

/** A client's reference, in full. */
export function readReference(text: string): Reading<string> {
  try {
    checkReference(text)
    return { value: text }
  } catch (error) {
    if (error instanceof Problem) return { problem: error.message }
    throw error
  }
}

/** The words of the API, and the one that people see. */
const WORDS: Readonly<Record<string, Status>> = {
  ...Object.fromEntries(STATUSES.map((status) => [status, status])),
  delivered: 'success',
}

/** Any of several statuses, with commas between them. */
export function readStatuses(text: string): Reading<Status[]> {
  const names = text
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const statuses = names.flatMap((name) => (Object.hasOwn(WORDS, name) ? (WORDS[name] ?? []) : []))
  if (names.length > 0 && statuses.length === names.length) return { value: [...new Set(statuses)] }
  const known = Object.keys(WORDS)
  const unknown = names.find((name) => !Object.hasOwn(WORDS, name)) ?? text
  const meant = names.map((name) => (Object.hasOwn(WORDS, name) ? name : nearestOf(name, known)))
  const all = meant.filter((name) => name !== undefined)
  return {
    problem: `“${unknown}” is not a status. They are ${known.join(', ')}.`,
    ...(all.length > 0 && all.length === meant.length && { instead: all.join(',') }),
  }
}
