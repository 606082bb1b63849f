import type { CallbackFilter } from '../../../callbacks/index.ts'
import { type EpochMs, isTicket } from '../../../kernel/ids.ts'
import { readSince } from '../../../kernel/time/spans.ts'

const KEYS = ['state', 'ticket', 'since'] as const
type Key = (typeof KEYS)[number]

/** The terms of a filter as they were typed, by their keys. */
export type Terms = ReadonlyMap<Key, string>

export type ReadFilter = { filter: CallbackFilter; terms: Terms } | { wrong: string }

const STATES = ['pending', 'delivered', 'dead'] as const

/** Reads `state:dead ticket:… since:2d`. All terms must match; what can't be read matches nothing and is named. */
export function readFilter(q: string, now: EpochMs): ReadFilter {
  const terms = new Map<Key, string>()
  for (const word of q.match(/\S+/g) ?? []) {
    const term = termOf(word)
    if (typeof term === 'string') return { wrong: term }
    if (terms.has(term.key)) return { wrong: `“${term.key}:” is there twice. Keep one of them.` }
    terms.set(term.key, term.value)
  }
  const state = STATES.find((one) => one === terms.get('state'))
  if (terms.has('state') && !state) return { wrong: `Expected state:pending, state:delivered or state:dead.` }
  const ticket = terms.get('ticket')?.toLowerCase()
  if (ticket !== undefined && !isTicket(ticket)) return { wrong: 'Expected ticket: with a whole ticket.' }
  const given = terms.get('since')
  const since = given === undefined ? undefined : readSince(given)
  if (given !== undefined && !since)
    return { wrong: 'Expected since: with 30m, 6h, 2d or 2w, a day such as 2026-11-20, or a time in UTC.' }
  return { filter: { state, ticket, since: since?.(now) }, terms }
}

/** The filter with one term set, or taken out. */
export function withTerm(terms: Terms, key: Key, value: string | undefined): string {
  const others = [...terms].filter(([other]) => other !== key)
  const all = value === undefined ? others : [[key, value], ...others]
  return all.map((term) => term.join(':')).join(' ')
}

/** A term, or what is wrong with it. A ticket alone is one too. */
function termOf(word: string): { key: Key; value: string } | string {
  if (isTicket(word)) return { key: 'ticket', value: word }
  const colon = word.indexOf(':')
  const name = word.slice(0, Math.max(colon, 0))
  const key = KEYS.find((one) => one === name)
  if (key) return { key, value: word.slice(colon + 1) }
  const near = nearestTo(name)
  return colon < 0 || !near
    ? `“${word}” is no term of this filter. There are state:, ticket: and since:.`
    : `There is no “${name}:” here. Did you mean “${near}:”?`
}

/** The key that begins most like a word; undefined when none shares two letters with it. */
function nearestTo(word: string): Key | undefined {
  const alike = (key: Key) => [...key].findIndex((letter, index) => letter !== word[index])
  const [near] = [...KEYS].sort((a, b) => alike(b) - alike(a))
  return near && alike(near) > 1 ? near : undefined
}
