import { termsOf } from '../../history/index.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { ConsoleParts } from '../parts.ts'
import { sampleAccount } from '../widgets/samples.ts'
import { exportAddress, inboxAddress } from './address.ts'
import { alternativesTo, type FilterQuery } from './alternatives.ts'
import { approvedSender, firstRun } from './first-run.ts'
import { inboxHead } from './head.ts'
import { type ListView, messageList } from './list.ts'
import type { InboxPage } from './read.ts'
import { nothingMatches, nothingOlder, scannedThrough, wrongFilter } from './states.ts'

/** What the address of a page asks for. */
export interface InboxQuery {
  q: string
  cursor: string | undefined
  /** The message that is open beside the list. */
  open?: string
}

/** The inbox of an account that has not sent anything. */
export async function firstRunPage(visit: Visit, parts: ConsoleParts): Promise<Page> {
  const { person, principal } = visit
  const empty = { rows: [], next: undefined }
  const body = firstRun({
    account: await sampleAccount(person, parts),
    sender: approvedSender(principal),
    sandbox: parts.sandbox !== undefined,
    may: visit.may,
    list: listView(visit, { q: '', cursor: undefined }, empty, parts),
  })
  return { title: 'Inbox', place: 'inbox', middle: true, body }
}

/** The inbox under a filter. */
export async function inboxPage(
  visit: Visit,
  shown: InboxQuery,
  page: InboxPage,
  parts: ConsoleParts,
): Promise<Page> {
  const body = await inboxColumn(visit, shown, page, parts)
  return { title: 'Inbox', place: 'inbox', body, status: page.query.kind === 'wrong' ? 422 : 200 }
}

/** The list with its filter. Under one that is wrong, nothing is shown but why. */
export async function inboxColumn(
  visit: Visit,
  shown: InboxQuery,
  page: InboxPage,
  parts: ConsoleParts,
): Promise<Markup> {
  const { principal } = visit
  const { query } = page
  const { q, cursor, open } = shown
  const head = inboxHead({
    ...{ q, query },
    terms: termsOf(q),
    today: open === undefined ? await parts.history.today(principal) : undefined,
    currency: principal.wallet.currency,
    may: visit.may,
    live: query.kind === 'filter' && cursor === undefined,
  })
  return markup`${head}${query.kind === 'wrong' ? wrongFilter(query) : await found(visit, shown, page, parts)}`
}

async function found(visit: Visit, shown: InboxQuery, page: InboxPage, parts: ConsoleParts): Promise<Markup> {
  const { rows, next, scanned, query } = page
  if (query.kind !== 'filter') return nothingOlder
  const others = query.terms.some(({ key }) => key !== undefined)
  const nothing = rows.length === 0 && (await whyNothing(visit, shown, query, parts))
  const older = scanned.stoppedAt === undefined ? next : undefined
  const list = messageList(listView(visit, shown, { rows, next: older }, parts))
  const far = scannedThrough({ ...scanned, ...shown, next, others })
  return markup`${shown.cursor === undefined && ARRIVALS}${nothing}${list}${far}`
}

async function whyNothing(
  { principal }: Visit,
  { q, cursor }: InboxQuery,
  query: FilterQuery,
  { clock, history }: ConsoleParts,
): Promise<Markup> {
  if (cursor !== undefined) return nothingOlder
  return nothingMatches(q, await alternativesTo(query, { principal, now: clock.now(), history }))
}

function listView(
  { principal }: Visit,
  { q, cursor, open }: InboxQuery,
  { rows, next }: Pick<InboxPage, 'rows' | 'next'>,
  { clock }: ConsoleParts,
): ListView {
  return {
    ...{ rows, q },
    now: clock.now(),
    open,
    currency: principal.wallet.currency,
    older: next && inboxAddress(q, next),
    newest: cursor === undefined ? undefined : inboxAddress(q),
    exportHref: exportAddress(q),
    live: cursor === undefined,
  }
}

/** New messages that wait while the list is read. */
const ARRIVALS: Markup = markup`<div class="arrivals" id="arrivals" hidden><button type="button" class="tiny"></button></div>`
