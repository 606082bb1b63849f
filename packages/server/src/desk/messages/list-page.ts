import type { AccountRow } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import type { FoundMessage, FoundPage } from '../../history/index.ts'
import { countOf } from '../../pages/count.ts'
import { listTime } from '../../pages/times.ts'
import { phoneNumber } from '../../pages/widgets/phone.ts'
import { statusMark } from '../../pages/widgets/state.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page } from '../frame/visit.ts'
import { LONGEST_SEARCH, queryOf } from './search-box.ts'
import { customer, pathOf, tableSheet } from './words.ts'

export interface ListView {
  q: string
  /** As the address has it. */
  account: string
  /** The customer that is meant; undefined for all, and where there is none. */
  of: AccountRow | undefined
  /** Undefined when nothing was asked for. */
  found: FoundPage | undefined
  isFirst: boolean
  accounts: ReadonlyMap<string, AccountRow>
  now: EpochMs
}

export function listPage(view: ListView): Page {
  const { account, of, found } = view
  const isWrong = account !== '' && !of
  return {
    title: 'Messages',
    place: 'messages',
    status: isWrong ? 422 : 200,
    body: markup`<div class="head"><h1>Messages${of && markup` of <bdi>${of.name}</bdi>`}</h1></div>
${searchForm(view, isWrong)}
${found && list(view, found)}
${!found && !isWrong && lists}`,
  }
}

function searchForm({ q, account, of }: ListView, isWrong: boolean): Markup {
  return markup`<form class="sheet" method="get" action="/messages" role="search" aria-label="Messages"><label for="q">Search</label><span class="hint" id="q-hint">A ticket, the number it went to, the customer’s reference in full, or the carrier’s</span>${isWrong && markup`<span class="wrong" id="q-error">There is no customer ${account}.</span>`}<div class="together"><input class="box search" id="q" name="q" type="search" value="${q}" maxlength="${LONGEST_SEARCH}" aria-describedby="q-hint${isWrong && ' q-error'}" autocomplete="off" spellcheck="false">${of && markup`<input type="hidden" name="account" value="${of.id}">`}<button>Search</button>${of && markup`<a href="${queryOf({ q, account: '' })}">${q === '' ? 'Look among all customers' : 'Search among all customers'}</a>`}</div></form>`
}

/** Where to go without knowing of a message. */
const lists = markup`<section class="sheet"><h2>What needs a look</h2><ul class="findings"><li><span><a href="/messages/uncertain">Uncertain messages</a>: their carrier never said whether it took them, so somebody has to decide.</span></li><li><span><a href="/messages/waiting">Messages that wait for longer than they should</a>, and why.</span></li><li><span><a href="/messages/set-aside">What was set aside</a>, because handling it keeps failing.</span></li><li><span><a href="/messages/callbacks">Callbacks that were given up</a>, to post them again when their receiver works.</span></li></ul></section>
<p class="soft">The audit log keeps what was looked for. Texts are covered until somebody opens one.</p>`

function list(view: ListView, { messages, next }: FoundPage): Markup {
  const { q, account, isFirst } = view
  const of = (after?: FoundPage['next']) => queryOf({ q, account, after })
  if (messages.length === 0 && isFirst && !next)
    return markup`<section class="sheet"><p>${q === '' ? 'It has sent no messages.' : markup`No message fits “<bdi>${q}</bdi>”.`} Those that were deleted or erased are not found.</p></section>`
  const pages =
    (!isFirst || next !== undefined) &&
    markup`${!isFirst && markup`<a href="${of()}">Newest messages</a>`}${next && markup`<a class="end" href="${of(next)}">Older messages</a>`}`
  return tableSheet({
    label: 'Messages, newest first',
    head: ['Accepted', 'To', 'State', 'Sender', 'Reference', 'Customer'],
    rows: messages.map((message) => line(message, view)),
    pages,
  })
}

function line(message: FoundMessage, { accounts, now }: ListView): Markup {
  const { ticket, createdAt, recipient, status, sender, reference, accountId } = message
  return markup`<tr><td class="num left">${listTime(createdAt, now)}</td><th scope="row" class="plain"><a href="${pathOf(ticket)}">${phoneNumber(recipient)}</a></th><td>${statusMark(status)}</td><td><bdi>${sender}</bdi></td><td><bdi>${reference}</bdi></td><td>${customer(accountId, accounts)}</td></tr>`
}

/** `more than 10,000`, where counting stopped. */
export function upTo(count: number, most: number): string {
  return count >= most ? `at least ${countOf(most)}` : countOf(count)
}
