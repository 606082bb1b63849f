import { type CallbackLog, MOST_COUNTED, MOST_REPLAYS, type ToReplay } from '../../callbacks/index.ts'
import { icon } from '../../pages/icons.ts'
import type { FormTicket } from '../../platform/pages/forms.ts'
import { ticketField } from '../../platform/pages/layout.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeBox } from '../widgets/code.ts'
import { type Terms, withTerm } from './filter.ts'
import { type CallbackList, callbackList } from './list.ts'

type States = Awaited<ReturnType<CallbackLog['states']>>

export interface CallbacksView extends CallbackList {
  q: string
  /** Undefined when the filter could not be read; then `wrong` says why. */
  terms: Terms | undefined
  wrong: string | undefined
  form: FormTicket
  /** Whether the person may have callbacks posted again. */
  mayBuild: boolean
  today: States
  toReplay: ToReplay | undefined
  /** How many were just posted again. */
  posted: number | undefined
  /** How many were left then, because they were posted again as often as they may be today. */
  left: number
  /** The sender ID of the sample; an account may have none yet. */
  sender: string | undefined
}

/** The log of callbacks, with those that were given up to be posted again. */
export function callbacksPage(view: CallbacksView): Markup {
  const { today, toReplay, posted, left, terms, q, wrong, rows, mayBuild } = view
  return markup`<div class="head"><h1>Callbacks</h1><span class="soft small roomy nums">Today: ${counted(today.delivered)} delivered, ${counted(today.pending)} retrying, ${counted(today.dead)} given up</span>${mayBuild && markup`<span class="end"><a class="button second" href="/developers#receive">Receive them</a></span>`}</div>
${posted !== undefined && markup`<div class="note good" role="status"><p>${several(posted)} posted again.${left > 0 && markup` ${several(left)} left: posted again ${MOST_REPLAYS} times today already.`}</p></div>`}
${mayBuild && toReplay && postAgain(view, toReplay)}
<form class="filter" role="search" action="/callbacks"><label class="unseen" for="q">Filter callbacks</label>${icon('search')}<input class="box" id="q" name="q" value="${q}" placeholder="state:dead ticket:01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f since:2d" autocomplete="off" autocapitalize="none" spellcheck="false"${wrong !== undefined && markup` aria-invalid="true" aria-describedby="q-wrong"`}><kbd class="roomy">/</kbd></form>
${chips(terms ?? new Map())}
${wrong !== undefined ? notRead(wrong) : rows.length > 0 ? callbackList(view) : nothing(view, terms ?? new Map())}`
}

function counted(count: number): string {
  return count < MOST_COUNTED ? count.toLocaleString('en') : `${MOST_COUNTED.toLocaleString('en')} or more`
}

function postAgain({ q, form }: CallbacksView, { givenUp, waiting, since }: ToReplay): Markup {
  const all = givenUp + waiting
  const gaveUp = givenUp > 0 && `${several(givenUp)} given up.`
  const retries = waiting > 0 && `${several(waiting)} posted again later.`
  const again =
    Math.max(givenUp, waiting) < MOST_COUNTED ? `Post ${counted(all)} again` : 'Post all of them again'
  return markup`<form class="note${givenUp > 0 && ' bad'} together" method="post" action="/callbacks/replay">${ticketField(form)}<input type="hidden" name="since" value="${since}"><input type="hidden" name="q" value="${q}"><span><span class="strong">${[gaveUp, retries].filter(Boolean).join(' ')}</span> When your receiver works again, have ${all === 1 ? 'it' : 'them'} posted at once: same id, same bytes.</span><span class="end"><button>${again}</button></span></form>`
}

function several(count: number): string {
  return count === 1 ? '1 callback is' : `${counted(count)} callbacks are`
}

const CHIPS = [
  { state: undefined, word: 'All' },
  { state: 'pending', word: 'Retrying', icon: 'again', tone: 'wait' },
  { state: 'dead', word: 'Given up', icon: 'cross' },
  { state: 'delivered', word: 'Delivered', icon: 'disc', tone: 'good' },
] as const

function chips(terms: Terms): Markup {
  const set = terms.get('state')
  const links = CHIPS.map((chip) => {
    const href = addressOf(withTerm(terms, 'state', chip.state))
    const drawing = 'icon' in chip && icon(chip.icon)
    const tone = 'tone' in chip && markup` class="${chip.tone}"`
    return markup`<li><a href="${href}"${tone}${chip.state === set && markup` aria-current="true"`}>${drawing}${chip.word}</a></li>`
  })
  return markup`<ul class="chips">${links}</ul>`
}

/** The address of the page under a filter. */
export function addressOf(q: string, also: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(q === '' ? {} : { q }), ...also })
  return query.size === 0 ? '/callbacks' : `/callbacks?${query}`
}

function notRead(wrong: string): Markup {
  return markup`<div class="note bad" role="alert"><p id="q-wrong">${wrong} Nothing is shown.</p></div>`
}

function nothing(view: CallbacksView, terms: Terms): Markup {
  if (terms.size === 0) return firstOne(view)
  const drops = [...terms].map(
    ([key, value]) =>
      markup`<li><a href="${addressOf(withTerm(terms, key, undefined))}">Without <bdi class="mono">${key}:${value}</bdi></a></li>`,
  )
  return markup`<section class="sheet"><h2>No callback matches</h2><ul>${drops}</ul></section>`
}

function firstOne({ sender = 'YOURNAME' }: CallbacksView): Markup {
  const lines = `wigwag listen
wigwag send --from ${sender} --to 233241234567 --text 'Hello' --callback-url http://127.0.0.1:8090`
  return markup`<section class="sheet"><h2>No callback was posted yet</h2><p class="soft">A message that names a URL is reported there when it is final. To see one arrive, run the first line in one terminal and the second in another. Without <code>WIGWAG_CALLBACK_SECRET</code> the first prints an address of its own: give that to the second.</p>${codeBox('first-callback', lines, 'wrap')}</section>`
}
