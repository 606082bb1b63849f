import type { EpochMs } from '../../domain/ids.ts'
import { type Query, readQuery, replaced, type Term } from '../../history/index.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { ConsoleParts } from '../parts.ts'
import { withKnownSender } from './read.ts'

/** A filter that matches nothing, with one of its terms left out. */
export interface Alternative {
  /** What is left out. */
  typed: string
  q: string
  /** How many messages match then, counted up to {@link COUNTED}; undefined when counting takes too long. */
  count: number | undefined
}

export type FilterQuery = Extract<Query, { kind: 'filter' }>

/** Counts stop at one more than this. */
export const COUNTED = 500

/** Which terms of a filter could be left out, those with most messages first. Words are left out together. */
export async function alternativesTo(
  { terms, words }: FilterQuery,
  { principal, now, history }: { principal: WalletPrincipal; now: EpochMs } & Pick<ConsoleParts, 'history'>,
): Promise<Alternative[]> {
  const wordTerms = terms.filter(({ key }) => key === undefined)
  const keyed = terms.filter(({ key }) => key !== undefined)
  const found: Alternative[] = []
  if (words.length > 0) {
    const typed = wordTerms.map((term) => term.typed).join(' ')
    found.push(await counted({ typed, q: keyed.map((term) => term.typed).join(' ') }))
  }
  for (const term of keyed) found.push(await without(term))
  return found.sort((a, b) => (b.count ?? -1) - (a.count ?? -1))

  function without(term: Term): Promise<Alternative> | Alternative {
    const alternative = { typed: term.typed, q: replaced(terms, term, undefined) }
    return words.length > 0 ? { ...alternative, count: undefined } : counted(alternative)
  }

  async function counted(alternative: { typed: string; q: string }): Promise<Alternative> {
    const query = readQuery(alternative.q, now)
    if (query.kind !== 'filter') return { ...alternative, count: undefined }
    const filter = withKnownSender(query.filter, principal)
    return { ...alternative, count: await history.queries.count(principal, filter, COUNTED + 1) }
  }
}
