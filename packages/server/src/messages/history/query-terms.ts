/** One term of a filter. */
export interface Term {
  /** In lower case; undefined for a word to look for. A bare number has the key `to`. */
  key: string | undefined
  value: string
  /** As it was typed. */
  typed: string
}

const TOKEN = /(?:[^\s"“”]|["“”][^"“”]*(?:["“”]|$))+/gu
const QUOTES = /["“”]/gu
const KEYED = /^(\p{L}[\p{L}\p{N}_-]*):(.*)$/su
const DIGITS = /^\+?\d+$/
const GROUP = /^\d{1,7}$/
/** Shorter runs of digits are words, such as the number of an order. */
const SHORTEST_NUMBER = 7
/** Groups such as `481 920` are words; that many digits in groups are a number. */
const SHORTEST_GROUPED = 10
const LONGEST_NUMBER = 15

/** Splits a filter into its terms. Quotes keep blanks together, and what they begin with is a word. */
export function termsOf(q: string): Term[] {
  const tokens = q.match(TOKEN) ?? []
  const terms: Term[] = []
  for (let at = 0; at < tokens.length; ) {
    const [token = ''] = tokens.slice(at)
    const groups = groupsFrom(tokens, at)
    const typed = groups > 1 ? tokens.slice(at, at + groups).join(' ') : closed(token)
    at += groups
    const term = termOf(typed)
    if (term.value !== '' || term.key !== undefined) terms.push(term)
  }
  return terms
}

/** A quote that was not closed ends with the filter; other terms may follow it later. */
function closed(token: string): string {
  return (token.match(QUOTES) ?? []).length % 2 === 0 ? token : `${token}"`
}

function termOf(typed: string): Term {
  const [, key, rest] = KEYED.exec(typed) ?? []
  if (key !== undefined && rest !== undefined) return { key: key.toLowerCase(), value: plain(rest), typed }
  return { key: isNumber(typed) ? 'to' : undefined, value: plain(typed), typed }
}

/** How many tokens make one term: a number that is written in groups takes several. */
function groupsFrom(tokens: readonly string[], at: number): number {
  const first = tokens[at] ?? ''
  const keyed = /^to:(.*)$/isu.exec(first)?.[1]
  const start = keyed ?? first
  if (!(keyed === undefined ? DIGITS : /^\+?[\d().-]+$/).test(start)) return 1
  let digits = digitsIn(start)
  if (digits >= SHORTEST_NUMBER) return 1
  let groups = 1
  for (; at + groups < tokens.length; groups++) {
    const next = tokens[at + groups] ?? ''
    if (!GROUP.test(next) || digits + digitsIn(next) > LONGEST_NUMBER) break
    digits += digitsIn(next)
  }
  const surely = keyed !== undefined || start.startsWith('+')
  return surely || digits >= SHORTEST_GROUPED ? groups : 1
}

function isNumber(typed: string): boolean {
  return /^\+?[\d\s().-]+$/.test(typed) && (typed.startsWith('+') || typed.includes(' ') || isLong(typed))
}

function isLong(typed: string): boolean {
  return /^\d+$/.test(typed) && typed.length >= SHORTEST_NUMBER && typed.length <= LONGEST_NUMBER
}

function digitsIn(text: string): number {
  return text.replace(/\D/g, '').length
}

function plain(text: string): string {
  return text.replace(QUOTES, '').trim()
}

/** A filter with the terms of one key replaced by another term, or left out. */
export function withTerm(terms: readonly Term[], key: string, typed: string | undefined): string {
  const others = terms.filter((term) => term.key !== key).map((term) => term.typed)
  return [...others, ...(typed === undefined ? [] : [typed])].join(' ')
}

/** A filter with one term replaced, or left out. */
export function replaced(terms: readonly Term[], which: Term, typed: string | undefined): string {
  return terms
    .flatMap((term) => (term === which ? (typed === undefined ? [] : [typed]) : [term.typed]))
    .join(' ')
}
