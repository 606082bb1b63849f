import { type CallbackStanding, callbackStates } from '../../../callbacks/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { hiddenIn, type MessageFilter, type Query, readQuery } from '../../../messages/history/index.ts'
import type { PageRequest } from '../../../net/server/paging.ts'
import type { ConsoleParts } from '../parts.ts'
import type { ListedMessage } from './list.tsx'
import type { WordSearches } from './word-searches.ts'

/** A page of the inbox. */
export interface InboxPage {
  rows: ListedMessage[]
  /** Where older messages are; undefined on the last page. */
  next: string | undefined
  /** The filter as it was read. A wrong one matches nothing. */
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

/** Where messages are read: now, or, for files, from a standby. */
export interface InboxSource extends Pick<ConsoleParts, 'database' | 'clock'> {
  queries: ConsoleParts['history']['queries']
  /** For pages. Streams and files are read one at a time already. */
  searches?: WordSearches
}

/**
 * Reads a page of the messages that a filter matches, newest first. The page, the live stream and the CSV use it.
 * `since:2d` counts from `now`, which is the clock's when it is left out.
 */
export async function readInbox(
  { queries, database, clock, searches }: InboxSource,
  principal: WalletPrincipal,
  q: string,
  page: PageRequest,
  now: EpochMs = clock.now(),
): Promise<InboxPage> {
  const query = queryOf(principal, q, now)
  if (query.kind !== 'filter') return nothingOf(query)
  const filter = withKnownSender(query.filter, principal)
  const searchWords = () => queries.searchWords(principal, filter, query.words, page)
  const found =
    query.words.length === 0 && filter.sentBy === undefined
      ? { ...(await queries.search(principal, filter, page)), scanned: undefined }
      : await (searches ? searches.run(principal.accountId, searchWords) : searchWords())
  const tickets = found.items.map(({ id }) => id)
  const states = await database.read((tx) => callbackStates(tx, principal.wallet.id, tickets))
  const by = await queries.sendersOf(found.items)
  const rows = found.items.map((row) => ({ ...row, ...callbackOf(states.get(row.id)), by: by(row) }))
  const { next, scanned: messages, stoppedAt } = found
  return { rows, next, query, scanned: { messages, stoppedAt } }
}

/** The meaning of a filter that was typed. Nobody can look for what is hidden from them: being found tells it. */
export function queryOf({ withoutTexts }: WalletPrincipal, q: string, now: EpochMs): Query {
  const query = readQuery(q, now)
  const hidden = withoutTexts && query.kind === 'filter' ? hiddenIn(query.filter, query.words) : undefined
  if (hidden === undefined) return query
  const problem = `Your role does not see texts, references and whole numbers, so it can’t look for messages by ${hidden}.`
  return { kind: 'wrong', problem, instead: undefined }
}

/** The page of a filter that is not read as one. */
export function nothingOf(query: Query): InboxPage {
  return { rows: [], next: undefined, query, scanned: { messages: undefined, stoppedAt: undefined } }
}

/** A row's fields about the callback of its message. */
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
