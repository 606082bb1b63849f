import { callbackStates } from '../../../callbacks/index.ts'
import { isTicket, type Ticket } from '../../../kernel/ids.ts'
import { available } from '../../../kernel/money/ledger.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import type { Watched } from '../../../kernel/process/metrics.ts'
import { knownWallet } from '../../../money/index.ts'
import { decode } from '../../../net/server/paging.ts'
import { sessionTokenOf } from '../../../sign-in/portal/index.ts'
import type { Database } from '../../../store/database.ts'
import { Sessions } from '../../live/sessions.ts'
import { Backlogs, COMMENT, STREAM_HEADERS, Stream, tooMany } from '../../live/stream.ts'
import { money } from '../../widgets/money.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Visit } from '../frame/visit.tsx'
import type { ListedMessage } from '../messages/list.tsx'
import { callbackOf, type InboxSource, readInbox } from '../messages/read.ts'
import type { ConsoleParts } from '../parts.ts'
import { type NewestPage, PAGE_ROWS } from './seen.ts'
import type { Showing } from './watcher.ts'
import { Watchers } from './watchers.tsx'

/** At most so many messages of a page are asked for, since they are in the address. `MOST_ASKED` in `browser/live.ts` is the same. */
const MOST_OPEN = 150

const STREAMS: Watched = {
  name: 'wigwag_console_streams',
  help: 'This process: pages that are kept up to date.',
  labels: [],
}
const WATCHERS: Watched = {
  name: 'wigwag_console_watchers',
  help: 'This process: lists that are looked at for these pages. Pages that show the same share one.',
  labels: [],
}

/** The stream that keeps a list of messages up to date. */
export function mountLive(pages: Pages, parts: ConsoleParts): void {
  const { publicUrl, changes, metrics, sandbox, clock, database, live, stopping } = parts
  const source = { database, clock, queries: parts.history.queries }
  const watchers = new Watchers({
    reads: {
      page: (principal, q) => newestPage(source, principal, q),
      known: (principal, ids) => knownMessages(source, principal, ids),
      countAfter: (principal, q, ticket) => countAfter(source, principal, q, ticket),
      purse: (principal) => purseOf(database, principal),
    },
    changes,
    refused: sandbox?.refused,
    now: () => clock.now(),
    time: live?.time,
    onFault: parts.onFault,
  })
  const backlogs = new Backlogs()
  const sessions = new Sessions(parts.portal, live?.checkMs)
  stopping.addEventListener('abort', () => sessions.close())
  metrics.watch([STREAMS, WATCHERS], async () => [
    { name: STREAMS.name, labels: {}, value: sessions.count() },
    { name: WATCHERS.name, labels: {}, value: watchers.count() },
  ])

  pages.show('/messages/live', 'read', async ({ c, principal }) => {
    const token = sessionTokenOf(c.req.header('cookie'), publicUrl()) ?? ''
    const owner = { token, accountId: principal.accountId }
    const refusal = sessions.refusal(owner)
    if (refusal) return tooMany(refusal)
    if (c.req.method === 'HEAD') return new Response(null, { headers: STREAM_HEADERS })
    const stream = new Stream({
      onOver() {
        remove()
        leave()
      },
      cut: () => c.env?.outgoing?.destroy(),
      backlog: (drop) => backlogs.join(principal.accountId, drop),
    })
    stream.send(COMMENT)
    const { poll, leave } = watchers.join(stream, { principal, q: c.req.query('q') ?? '' }, showing(c))
    const remove = sessions.add(owner, {
      send: (text) => stream.send(text),
      end: () => stream.end(),
      onRefresh: poll,
    })
    return new Response(stream.body, { headers: STREAM_HEADERS })
  })
}

/** Reads from a request which messages its page shows. */
function showing(c: Visit['c']): Showing {
  const last = c.req.header('last-event-id')?.toLowerCase()
  const open = (c.req.query('open') ?? '').toLowerCase().split(',').filter(isTicket)
  return {
    last: last === NOTHING || (last && isTicket(last)) ? last : undefined,
    open: open.slice(0, MOST_OPEN),
  }
}

/** The last event of a page without messages. */
const NOTHING = '0'

/** The newest messages that a filter matches. */
async function newestPage(source: InboxSource, principal: WalletPrincipal, q: string): Promise<NewestPage> {
  const { rows, next } = await readInbox(source, principal, q, { cursor: undefined, limit: PAGE_ROWS })
  return { rows, floor: decode(next)?.id ?? '' }
}

/** Messages that were seen before, whatever the filter. */
async function knownMessages(
  { queries, database }: InboxSource,
  principal: WalletPrincipal,
  ids: readonly Ticket[],
): Promise<ListedMessage[]> {
  if (ids.length === 0) return []
  const rows = await queries.walletMessages(principal, ids)
  const told = rows.flatMap(({ id, callbackUrl }) => (callbackUrl === null ? [] : id))
  const states = await database.read((tx) => callbackStates(tx, principal.wallet.id, told))
  const by = await queries.sendersOf(rows)
  return rows.map((row) => ({ ...row, ...callbackOf(states.get(row.id)), by: by(row) }))
}

/** One more than what a page shows as a number. */
const COUNTED = 501

/** How many messages of a filter are newer than one, counted up to {@link COUNTED}. */
async function countAfter(
  source: InboxSource,
  principal: WalletPrincipal,
  q: string,
  ticket: string,
): Promise<number> {
  const { rows } = await readInbox(source, principal, q, { cursor: undefined, limit: COUNTED })
  return rows.filter(({ id }) => id > ticket).length
}

/** The balance as the rail shows it. */
async function purseOf(database: Database, { wallet: { id, currency } }: WalletPrincipal): Promise<string> {
  const wallet = await database.read((tx) => knownWallet(tx, id))
  return money(available(wallet), currency)
}
