import type { EpochMs } from '../../../kernel/ids.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { type Query, readQuery, replaced, type Term, type Wrong } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { countOf } from '../../count.ts'
import { dayAndTime } from '../../times.tsx'
import type { ConsoleParts } from '../parts.ts'
import { inboxAddress } from './list.tsx'
import { type Scanned, withKnownSender } from './read.ts'

/** A filter that was not understood. It never falls back to another. */
export function wrongFilter({ problem, instead }: Wrong): Markup {
  return (
    <div class="note bad" role="alert" id="wrong">
      <p>
        <span class="strong">{problem}</span> {instead && <>Did you mean {filterLink(instead)}? </>}Nothing is
        shown until it is put right.
      </p>
    </div>
  )
}

/** No message matches: which terms could be left out. Not shown as soon as a message comes in. */
export function nothingMatches(q: string, alternatives: readonly Alternative[]): Markup {
  const counted = alternatives.flatMap(({ count, ...link }) =>
    count === undefined ? [] : { count, ...link },
  )
  const others = alternatives.filter(({ count }) => count === undefined)
  const counts = counted.map(({ count, ...link }, index) => (
    <>
      {index > 0 && ', '}
      {index === 0 ? capital(countWords(count)) : countWords(count)} without {filterLink(link)}
    </>
  ))
  const tries = others.map((link, index) => (
    <>
      {index > 0 && ' or '}without {filterLink(link)}
    </>
  ))
  return (
    <div class="sheet nothing">
      <p>
        <code>
          <bdi>{q}</bdi>
        </code>
      </p>
      <p>
        No message matches.{counts.length > 0 && <> {counts}.</>}
        {tries.length > 0 && <> Or try {tries}.</>}
      </p>
    </div>
  )
}

function countWords(count: number): string {
  if (count === 0) return 'none'
  if (count > COUNTED) return `more than ${COUNTED} match`
  return count === 1 ? '1 matches' : `${count} match`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** The end of a list that was left through its last page. */
export const nothingOlder: Markup = (
  <div class="sheet nothing">
    <p>No older message matches.</p>
  </div>
)

interface LookedView extends Scanned {
  q: string
  cursor: string | undefined
  next: string | undefined
  /** The filter has terms besides words. */
  others: boolean
}

/** How far messages were looked at. Says nothing of a full page, which has the usual link to older messages. */
export function scannedThrough(view: LookedView): Markup | false {
  const { messages, stoppedAt, q, cursor, next, others } = view
  if (messages === undefined) {
    if (stoppedAt === undefined || next === undefined) return false
    return (
      <p class="soft looked">
        Many messages are under way, and only some were looked at.{' '}
        <a href={inboxAddress(q, next)}>Go on from {dayAndTime(stoppedAt)}</a>
      </p>
    )
  }
  const count = `${countOf(messages)} messages${others ? ' that match the other terms' : ''}`
  if (stoppedAt !== undefined && next !== undefined) {
    const which = cursor === undefined ? 'newest' : 'next'
    return (
      <p class="soft looked">
        Looked through the {which} {count}.{' '}
        <a href={inboxAddress(q, next)}>Go on from {dayAndTime(stoppedAt)}</a>
      </p>
    )
  }
  if (next !== undefined) return false
  return (
    <p class="soft looked">
      Looked through {cursor === undefined ? 'all' : 'the last'} {count}.
    </p>
  )
}

function filterLink({ q, typed }: { q: string; typed: string }): Markup {
  return (
    <a href={inboxAddress(q)}>
      <bdi>{typed}</bdi>
    </a>
  )
}

/** A filter that matches nothing, with one of its terms left out. */
interface Alternative {
  /** The term that is left out, or all words. */
  typed: string
  q: string
  /** How many messages match then, counted up to {@link COUNTED}; undefined when counting takes too long. */
  count: number | undefined
}

export type FilterQuery = Extract<Query, { kind: 'filter' }>

/** Counts stop at one more than this. */
const COUNTED = 500

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
