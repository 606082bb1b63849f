import type { Wrong } from '../../history/index.ts'
import { dayAndTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { inboxAddress } from './address.ts'
import { type Alternative, COUNTED } from './alternatives.ts'
import { grouped } from './head.ts'
import type { Scanned } from './read.ts'

/** A filter that was not understood. It never falls back to another. */
export function wrongFilter({ problem, instead }: Wrong): Markup {
  return markup`<div class="note bad" role="alert" id="wrong"><p><span class="strong">${problem}</span> ${instead && markup`Did you mean ${filterLink(instead)}? `}Nothing is shown until it is put right.</p></div>`
}

/** No message matches: which terms could be left out. Not shown as soon as a message comes in. */
export function nothingMatches(q: string, alternatives: readonly Alternative[]): Markup {
  const counted = alternatives.flatMap(({ count, ...link }) =>
    count === undefined ? [] : { count, ...link },
  )
  const others = alternatives.filter(({ count }) => count === undefined)
  const counts = counted.map(
    ({ count, ...link }, index) =>
      markup`${index > 0 && ', '}${index === 0 ? capital(countWords(count)) : countWords(count)} without ${filterLink(link)}`,
  )
  const tries = others.map((link, index) => markup`${index > 0 && ' or '}without ${filterLink(link)}`)
  return markup`<div class="sheet nothing"><p><code><bdi>${q}</bdi></code></p><p>No message matches.${counts.length > 0 && markup` ${counts}.`}${tries.length > 0 && markup` Or try ${tries}.`}</p></div>`
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
export const nothingOlder: Markup = markup`<div class="sheet nothing"><p>No older message matches.</p></div>`

export interface LookedView extends Scanned {
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
    return markup`<p class="soft looked">Many messages are under way, and only some were looked at. <a href="${inboxAddress(q, next)}">Go on from ${dayAndTime(stoppedAt)}</a></p>`
  }
  const count = `${grouped(messages)} messages${others ? ' that match the other terms' : ''}`
  if (stoppedAt !== undefined && next !== undefined) {
    const which = cursor === undefined ? 'newest' : 'next'
    return markup`<p class="soft looked">Looked through the ${which} ${count}. <a href="${inboxAddress(q, next)}">Go on from ${dayAndTime(stoppedAt)}</a></p>`
  }
  if (next !== undefined) return false
  return markup`<p class="soft looked">Looked through ${cursor === undefined ? 'all' : 'the last'} ${count}.</p>`
}

function filterLink({ q, typed }: { q: string; typed: string }): Markup {
  return markup`<a href="${inboxAddress(q)}"><bdi>${typed}</bdi></a>`
}
