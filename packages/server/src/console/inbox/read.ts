import { type CallbackStanding, callbackStates } from '../../callbacks/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { type MessageFilter, type Query, readQuery } from '../../history/index.ts'
import type { PageRequest } from '../../platform/http/paging.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import type { ConsoleParts } from '../parts.ts'
import type { ListedMessage } from './row.ts'
import type { WordSearches } from './word-searches.ts'

/** A page of the inbox. */
export interface InboxPage {
  rows: ListedMessage[]
  /** Where older messages are; undefined on the last page. */
  next: string | undefined
  /** What the filter asks for. One that is wrong matches nothing. */
  query: Query
  /** How far messages were looked at. */
  scanned: Scanned
}

export interface Scanned {
  /** How many were searched for words; undefined when the filter has none. */
  messages: number | undefined
  /** When the last of them was accepted, if the page has room for more that were not looked at. */
  stoppedAt: EpochMs | undefined
}

/**
 * Reads a page of the messages that a filter matches, newest first. The page, the live stream and the CSV use it.
 * `since:2d` counts from `now`, which is the clock's when it is left out.
 */
export type ReadInbox = (
  principal: WalletPrincipal,
  q: string,
  page: PageRequest,
  now?: EpochMs,
) => Promise<InboxPage>

export function createReadInbox(
  {
    history: { queries },
    database,
    clock,
  }: Pick<ConsoleParts, 'database' | 'clock'> & {
    history: Pick<ConsoleParts['history'], 'queries'>
  },
  /** For pages. Streams and files are read one at a time already. */
  searches?: WordSearches,
): ReadInbox {
  const searchWords: typeof queries.searchWords = (principal, ...search) => {
    const work = () => queries.searchWords(principal, ...search)
    return searches ? searches.run(principal.accountId, work) : work()
  }

  return async function readInbox(principal, q, page, now = clock.now()) {
    const query = readQuery(q, now)
    if (query.kind !== 'filter') return nothingOf(query)
    const filter = withKnownSender(query.filter, principal)
    const found =
      query.words.length === 0 && filter.sentBy === undefined
        ? { ...(await queries.search(principal, filter, page)), scanned: undefined }
        : await searchWords(principal, filter, query.words, page)
    const tickets = found.items.map(({ id }) => id)
    const states = await database.read((tx) => callbackStates(tx, principal.wallet.id, tickets))
    const by = await queries.sendersOf(found.items)
    const rows = found.items.map((row) => ({ ...row, ...callbackOf(states.get(row.id)), by: by(row) }))
    const { next, scanned: messages, stoppedAt } = found
    return { rows, next, query, scanned: { messages, stoppedAt } }
  }
}

/** The page of a filter that is not read as one. */
export function nothingOf(query: Query): InboxPage {
  return { rows: [], next: undefined, query, scanned: { messages: undefined, stoppedAt: undefined } }
}

/** What a row has of the callback about its message. */
export function callbackOf(
  standing: CallbackStanding | undefined,
): Pick<ListedMessage, 'callback' | 'attempts'> {
  return { callback: standing?.state, attempts: standing?.attempts ?? 0 }
}

/** Finds the account's sender ID for one that was typed in another case. */
export function withKnownSender(filter: MessageFilter, { senders }: WalletPrincipal): MessageFilter {
  const typed = filter.sender
  if (typed === undefined || senders.has(typed)) return filter
  const meant = [...senders.keys()].filter((name) => name.toLowerCase() === typed.toLowerCase())
  return meant.length === 1 ? { ...filter, sender: meant[0] } : filter
}
