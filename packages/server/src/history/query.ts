import { type EpochMs, isTicket, type Ticket } from '../domain/ids.ts'
import { nearestOf } from '../domain/nearest.ts'
import { EVERYTHING, type MessageFilter } from './index-ranges.ts'
import { replaced, type Term, termsOf } from './query-terms.ts'
import { type Reading, readNumber, readReference, readStatuses, readTime } from './query-values.ts'

/** What a filter asks for. */
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
/** What people may call them, and what to try instead. */
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
