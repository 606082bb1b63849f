import { Problem } from '../../kernel/errors.ts'
import { type EpochMs, epochMs, isTicket, type Ticket } from '../../kernel/ids.ts'
import { STATUSES, type Status } from '../../kernel/message.ts'
import { checkReference } from '../../kernel/sent-fields.ts'
import { nearestOf } from '../../kernel/text/nearest.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/time/spans.ts'
import { EVERYTHING, type MessageFilter } from './index-ranges.ts'
import { replaced, type Term, termsOf } from './query-terms.ts'

/** The meaning of a filter that was typed. */
export type Query =
  | { kind: 'filter'; filter: MessageFilter; words: readonly string[]; terms: readonly Term[] }
  | { kind: 'ticket'; ticket: Ticket }
  | Wrong

/** Why a filter matches nothing, and the one that was probably meant. */
export interface Wrong {
  kind: 'wrong'
  problem: string
  instead: { q: string; typed: string } | undefined
}

const KEYS = ['to', 'from', 'by', 'reference', 'status', 'since', 'until'] as const
type Key = (typeof KEYS)[number]
/** Other names that people may type, each with the key to suggest. */
const OTHER_NAMES: Readonly<Record<string, Key>> = {
  recipient: 'to',
  number: 'to',
  phone: 'to',
  sender: 'from',
  ref: 'reference',
  state: 'status',
  who: 'by',
  sentby: 'by',
  after: 'since',
  before: 'until',
}
const LONGEST = 500

/** Reads a filter. Never throws, and never reads one that it does not understand as another. */
export function readQuery(q: string, now: EpochMs): Query {
  if (q.length > LONGEST)
    return wrong(`A filter has at most ${LONGEST} characters; this one has ${q.length}.`)
  const terms = termsOf(q)
  const [first] = terms
  if (terms.length === 1 && first?.key === undefined && first && isTicket(first.value)) {
    return { kind: 'ticket', ticket: first.value.toLowerCase() as Ticket }
  }
  return misnamed(terms) ?? twice(terms) ?? valuesOf(terms, now)
}

function misnamed(terms: readonly Term[]): Wrong | undefined {
  const term = terms.find(({ key }) => key !== undefined && !isKey(key))
  if (!term) return undefined
  const key = term.key ?? ''
  const meant = nearestOf(key, KEYS) ?? (Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined)
  const typed = meant
    ? `${meant}:${term.typed.slice(key.length + 1)}`
    : `"${term.typed.replace(/["“”]/gu, '')}"`
  const all = meant
    ? ''
    : ' Filters are to:, from:, by:, reference:, status:, since: and until:; words with a colon stand in quotes.'
  return wrong(`There is no filter “${key}:”.${all}`, { q: replaced(terms, term, typed), typed })
}

function twice(terms: readonly Term[]): Wrong | undefined {
  const seen = new Set<string>()
  for (const term of terms) {
    if (term.key === undefined) continue
    if (seen.has(term.key)) return again(terms, term)
    seen.add(term.key)
  }
  return undefined
}

/** Several statuses are one term; of the others a message has one each. */
function again(terms: readonly Term[], second: Term): Wrong {
  const first = terms.find(({ key }) => key === second.key) ?? second
  const problem = `“${second.key}:” is there twice.`
  const without = terms.filter((term) => term !== second)
  if (second.key !== 'status')
    return wrong(problem, { q: replaced(without, first, first.typed), typed: first.typed })
  const typed = `status:${first.value},${second.value}`
  return wrong(problem, { q: replaced(without, first, typed), typed })
}

function valuesOf(terms: readonly Term[], now: EpochMs): Query {
  const filter = { ...EVERYTHING }
  for (const term of terms) {
    const { key, value } = term
    if (key === undefined) continue
    if (value === '') return wrong(`“${key}:” has no value.`)
    const reading = put(filter, key, value, now)
    if ('problem' in reading) {
      const { problem, instead } = reading
      const typed = instead === undefined ? undefined : `${key}:${instead}`
      return wrong(problem, typed === undefined ? undefined : { q: replaced(terms, term, typed), typed })
    }
  }
  const { createdFrom, createdBefore } = filter
  if (createdFrom !== undefined && createdBefore !== undefined && createdFrom >= createdBefore) {
    return wrong('“since:” is not before “until:”, so no message can match.')
  }
  const words = terms.filter(({ key }) => key === undefined).map(({ value }) => value)
  return { kind: 'filter', filter, words, terms }
}

/** Adds what a term says to the filter. */
function put(filter: MessageFilter, key: string, value: string, now: EpochMs): Reading<unknown> {
  const keep = <K extends keyof MessageFilter>(name: K, reading: Reading<MessageFilter[K]>) => {
    if ('value' in reading) filter[name] = reading.value
    return reading
  }
  if (key === 'to') return keep('recipient', readNumber(value))
  if (key === 'by') return keep('sentBy', { value })
  if (key === 'reference') return keep('reference', readReference(value))
  if (key === 'status') return keep('statuses', readStatuses(value))
  if (key === 'since') return keep('createdFrom', readTime(value, now, 'since'))
  if (key === 'until') return keep('createdBefore', readTime(value, now, 'until'))
  return keep('sender', { value })
}

function isKey(key: string): key is Key {
  return KEYS.some((known) => known === key)
}

function wrong(problem: string, instead?: Wrong['instead']): Wrong {
  return { kind: 'wrong', problem, instead }
}

/** A value that was understood, or what is wrong with it and the value that was probably meant. */
type Reading<T> = { value: T } | { problem: string; instead?: string }

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }
const AGO = /^(\d{1,6})([mhdw])$/i
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?Z?$/i
const TIMES =
  'Expected such as 30m, 6h, 2d or 2w, a day such as 2026-01-31, or a time such as 2026-01-31T09:30, in UTC.'

/** A time in UTC: so long ago, or a day, or a time of a day. A day ends a range at its end. */
function readTime(text: string, now: EpochMs, end: 'since' | 'until'): Reading<EpochMs> {
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
function readNumber(text: string): Reading<string> {
  const digits = text.replace(/[+\s().-]/g, '')
  if (/^[1-9]\d{6,14}$/.test(digits)) return { value: digits }
  const expected = 'Expected 7 to 15 digits that begin with a country code, such as 233241234567.'
  return { problem: `“${text}” is not a number. ${expected}` }
}

/** A client's reference, in full. */
function readReference(text: string): Reading<string> {
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
function readStatuses(text: string): Reading<Status[]> {
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
