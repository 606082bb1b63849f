import { toDecimal } from '@wigwag/contract'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import type { Cell } from '../../../kernel/text/csv.ts'
import { termsOf } from '../../../messages/history/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { instant } from '../../../net/server/paging.ts'
import { csvReply } from '../../files.ts'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { approvedSender, sampleAccount } from '../widgets/samples.ts'
import { firstRun } from './first-run.tsx'
import { inboxHead } from './head.tsx'
import { exportAddress, inboxAddress, type ListedMessage, type ListView, messageList } from './list.tsx'
import { type InboxPage, type InboxSource, nothingOf, queryOf, readInbox } from './read.ts'
import {
  alternativesTo,
  type FilterQuery,
  nothingMatches,
  nothingOlder,
  scannedThrough,
  wrongFilter,
} from './states.tsx'

const ROWS = 60

/** The list of messages, and the same as a file. */
export function mountInbox(pages: Pages, parts: ConsoleParts): void {
  const { history, database, clock, searches } = parts
  const forPages = { database, clock, searches, queries: history.queries }
  const forFiles = { database, clock, queries: history.lateQueries }

  pages.show('/messages', 'read', async (visit) => {
    const { c, principal } = visit
    const shown = { q: filterOf(c.req.query('q')), cursor: c.req.query('cursor') }
    const page = await readInbox(forPages, principal, shown.q, { cursor: shown.cursor, limit: ROWS })
    if (page.query.kind === 'ticket') return goTo(`/messages/${page.query.ticket}`)
    const isNew = page.rows.length === 0 && shown.q === '' && shown.cursor === undefined
    return isNew ? firstRunPage(visit, parts) : inboxPage(visit, shown, page, parts)
  })

  pages.file('/messages.csv', 'read', async (visit) => {
    const { c, principal } = visit
    const q = filterOf(c.req.query('q'))
    const now = clock.now()
    const query = queryOf(principal, q, now)
    if (query.kind === 'ticket') return goTo(`/messages/${query.ticket}`)
    if (query.kind === 'filter') return exportMessages(forFiles, { principal, q, now })
    return inboxPage(visit, { q, cursor: undefined }, nothingOf(query), parts)
  })
}

function filterOf(q = ''): string {
  return q.trim()
}

/** The parameters in a page's address. */
interface InboxQuery {
  q: string
  cursor: string | undefined
  /** The message that is open beside the list. */
  open?: string
}

/** The inbox of an account that has not sent anything. */
async function firstRunPage(visit: Visit, parts: ConsoleParts): Promise<Page> {
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
async function inboxPage(
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
    q,
    query,
    terms: termsOf(q),
    today: open === undefined ? await parts.history.today(principal) : undefined,
    currency: principal.wallet.currency,
    may: visit.may,
    live: query.kind === 'filter' && cursor === undefined,
  })
  return (
    <>
      {head}
      {query.kind === 'wrong' ? wrongFilter(query) : await found(visit, shown, page, parts)}
    </>
  )
}

async function found(visit: Visit, shown: InboxQuery, page: InboxPage, parts: ConsoleParts): Promise<Markup> {
  const { rows, next, scanned, query } = page
  if (query.kind !== 'filter') return nothingOlder
  const others = query.terms.some(({ key }) => key !== undefined)
  const nothing = rows.length === 0 && (await whyNothing(visit, shown, query, parts))
  const older = scanned.stoppedAt === undefined ? next : undefined
  const list = messageList(listView(visit, shown, { rows, next: older }, parts))
  const far = scannedThrough({ ...scanned, ...shown, next, others })
  return (
    <>
      {shown.cursor === undefined && ARRIVALS}
      {nothing}
      {list}
      {far}
    </>
  )
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
    rows,
    q,
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
const ARRIVALS: Markup = (
  <div class="arrivals" id="arrivals" hidden>
    <button type="button" class="tiny" />
  </div>
)

const SLICE = 1_000
const HEAD = [
  'time',
  'status',
  'ticket',
  'to',
  'network',
  'from',
  'text',
  'reference',
  'segments',
  'cost',
  'callback',
  'by',
  'name',
]

/** All messages that a filter matches, as a file. Times of the filter count from its beginning. */
function exportMessages(
  source: InboxSource,
  { principal, q, now }: { principal: WalletPrincipal; q: string; now: EpochMs },
): Response {
  return csvReply({
    name: 'messages.csv',
    head: HEAD,
    async read(cursor) {
      const { rows, next } = await readInbox(source, principal, q, { cursor, limit: SLICE }, now)
      return { items: rows, next }
    },
    line: cellsOf,
  })
}

function cellsOf(message: ListedMessage): Cell[] {
  const { createdAt, status, id, recipient, network, sender, content, reference, segments, cost } = message
  return [
    instant(createdAt),
    status,
    id,
    recipient,
    network ?? undefined,
    sender,
    content,
    reference,
    segments,
    toDecimal(cost),
    message.callback,
    message.by?.kind,
    message.by?.name,
  ]
}
