import type { Status } from '../../domain/message.ts'
import type { InsightRow } from '../../history/index.ts'
import { type Query, type Term, withTerm } from '../../history/index.ts'
import { icon } from '../../pages/icons.ts'
import { amountOf } from '../../pages/widgets/money.ts'
import { lookOf } from '../../pages/widgets/state.ts'
import type { Right } from '../../people/index.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { inboxAddress } from './address.ts'

export interface HeadView {
  q: string
  query: Query
  terms: readonly Term[]
  /** The counts of today; undefined beside an open message, whose page has its own heading. */
  today: InsightRow | undefined
  currency: string
  /** What the person may do in the account. */
  may(right: Right): boolean
  /** New messages come in by themselves. */
  live: boolean
}

/** Says whether the page is live. The script shows it once it listens, and keeps it true. */
export const LIVE: Markup = markup`<span class="live small" id="live" hidden>Live</span>`

/** What is above the list: the counts of today, the filter, and links for the usual filters. */
export function inboxHead({ q, query, terms, today, currency, may, live }: HeadView): Markup {
  const wrong = query.kind === 'wrong' && markup` aria-invalid="true" aria-describedby="wrong"`
  const heading = today
    ? markup`<h1>Inbox</h1>${live && LIVE}<span class="soft small nums roomy">${countsOf(today, currency)}</span>`
    : markup`<p class="title">Inbox</p>${live && LIVE}`
  return markup`<div class="head">${heading}${may('send') && markup`<span class="end"><a class="button" href="/send"><span>Send<span class="roomy"> a message</span></span></a></span>`}</div>
<form class="filter" role="search" action="/messages"><label class="unseen" for="q">Filter messages</label>${icon('search')}<input class="box" id="q" name="q" value="${q}" placeholder="to:233241234567 status:failed from:WIGWAG since:2d" maxlength="500" autocomplete="off" autocapitalize="none" spellcheck="false"${wrong}><kbd class="roomy" aria-hidden="true">/</kbd></form>
<ul class="chips">${CHIPS.map((chip) => chipOf(chip, query, terms))}${may('build') && markup`<li class="roomy"><a class="bare" href="/developers#filters">All filters</a></li>`}</ul>`
}

function countsOf({ sent, delivered, failed, pending, spend }: InsightRow, currency: string): string {
  const counts = [
    `${grouped(sent)} sent`,
    `${grouped(delivered)} delivered`,
    `${grouped(failed)} not delivered`,
    `${grouped(pending)} pending`,
  ]
  return `Today: ${counts.join(', ')}, ${currency}\u00a0${amountOf(spend)}`
}

/** A count with its thousands set off: `18,204`. */
export function grouped(count: number): string {
  return count.toLocaleString('en-GB')
}

interface Chip {
  name: string
  /** Undefined for messages of every status. */
  status: { typed: string; is: readonly Status[] } | undefined
}

const UNDELIVERED: readonly Status[] = ['undelivered', 'expired', 'rejected', 'failed']
const CHIPS: readonly Chip[] = [
  { name: 'All', status: undefined },
  { name: 'Pending', status: { typed: 'status:pending', is: ['pending'] } },
  { name: 'Delivered', status: { typed: 'status:delivered', is: ['success'] } },
  { name: 'Not delivered', status: { typed: `status:${UNDELIVERED.join(',')}`, is: UNDELIVERED } },
]

/** A link that sets the status and keeps the other terms. */
function chipOf({ name, status }: Chip, query: Query, terms: readonly Term[]): Markup {
  const href = inboxAddress(withTerm(terms, 'status', status?.typed))
  const now = query.kind === 'filter' && same(status?.is, query.filter.statuses)
  const [first] = status?.is ?? []
  const look = first && lookOf(first)
  return markup`<li><a${look && markup` class="${look.tone}"`} href="${href}"${now && markup` aria-current="true"`}>${look && icon(look.icon)}${name}</a></li>`
}

function same(a: readonly Status[] | undefined, b: readonly Status[] | undefined): boolean {
  return [...(a ?? [])].sort().join() === [...(b ?? [])].sort().join()
}
