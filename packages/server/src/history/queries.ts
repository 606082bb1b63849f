import { Problem } from '../domain/errors.ts'
import { type FailureReason, failureReasonOf } from '../domain/failure-reasons.ts'
import { type EpochMs, epochMs, isTicket, type Ticket, timeOfTicket } from '../domain/ids.ts'
import { findMessage, findMessages, keptSince, type MessageRow } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Replica } from '../platform/database/database.ts'
import {
  decode,
  encode,
  type Page,
  type PageRequest,
  type Position,
  pageOf,
} from '../platform/http/paging.ts'
import type { Principal, WalletPrincipal } from '../platform/http/principal.ts'
import type { MessageFilter, SearchScope } from './index-ranges.ts'
import { countMessages, type Found, SEARCH_LIMITS, searchMessages } from './search.ts'
import { type Senders, type SentBy, sendersOf, wantedSenders } from './sent-by.ts'
import { type TimelineEntry, timelineOf, timelineSource, type Waiting } from './timeline.ts'
import { searchWords } from './word-search.ts'

/** A message with its events, and with what it waits for until it is final, as its customer may read it. */
export interface MessageInFull {
  message: Omit<MessageRow, 'failureReason'>
  /** Undefined while it is not final, and when it was delivered. */
  failureReason: FailureReason | undefined
  timeline: TimelineEntry[]
  waiting: Waiting | undefined
  /** Undefined when it was accepted before this was stored. */
  sentBy: SentBy | undefined
}

/** Reads of messages. */
export interface Queries {
  /** Any transaction of the account. A caller bound to a wallet sees only that wallet's transactions. */
  transaction(principal: Principal, ticket: string): Promise<MessageRow>
  /** A message of the caller's wallet. */
  walletMessage(principal: WalletPrincipal, id: string): Promise<MessageRow>
  /** Those of some messages that are the caller's wallet's. */
  walletMessages(principal: WalletPrincipal, ids: readonly Ticket[]): Promise<MessageRow[]>
  messageInFull(principal: WalletPrincipal, id: string): Promise<MessageInFull>
  /** Scans a bounded number of open messages per page; of any, where it asks who sent them. */
  search(principal: WalletPrincipal, filter: MessageFilter, page: PageRequest): Promise<SearchPage>
  /**
   * Messages that have all the words in their text or reference, or were sent by whom the filter names. Scans a bounded
   * number of messages per page.
   */
  searchWords(
    principal: WalletPrincipal,
    filter: MessageFilter,
    words: readonly string[],
    page: PageRequest,
  ): Promise<WordsPage>
  /** Who sent some messages, by name. */
  sendersOf(messages: readonly MessageRow[]): Promise<Senders>
  /** How many messages match, counted up to a limit; undefined when counting would take too long. */
  count(principal: WalletPrincipal, filter: MessageFilter, most: number): Promise<number | undefined>
}

/** A page of a search. When it is not full, `next` goes on with messages that were not looked at. */
export interface SearchPage extends Page<MessageRow> {
  /** When the last message was accepted that was looked at; undefined when the page is full, or no more match. */
  stoppedAt: EpochMs | undefined
}

export interface WordsPage extends SearchPage {
  scanned: number
}

export function createQueries(
  database: Replica,
  clock: Pick<Clock, 'now'>,
  showCarriers: boolean,
  limits = SEARCH_LIMITS,
): Queries {
  async function transaction({ accountId, wallet }: Principal, ticket: string): Promise<MessageRow> {
    const message = isTicket(ticket)
      ? await database.read((tx) => findMessage(tx, accountId, ticket.toLowerCase()))
      : undefined
    if (!message || (wallet && message.walletId !== wallet.id)) throw await notFound(ticket)
    return message
  }

  /** Says so when messages as old as this ticket were deleted, whether or not there was one with this ticket. */
  async function notFound(ticket: string): Promise<Problem> {
    const none = `This account has no transaction ${ticket}.`
    const madeAt = isTicket(ticket) ? timeOfTicket(ticket) : undefined
    const kept = madeAt === undefined ? 0 : await database.read(keptSince)
    const since = `Messages from before ${new Date(kept).toISOString()} have been deleted; the ledger still has their charges.`
    return new Problem('transaction_not_found', (madeAt ?? 0) < kept ? `${none} ${since}` : none)
  }

  async function lookThrough(
    { accountId, ...principal }: WalletPrincipal,
    filter: MessageFilter,
    words: readonly string[],
    { cursor, limit }: PageRequest,
  ): Promise<WordsPage> {
    const { sentBy } = filter
    const by =
      sentBy === undefined ? undefined : await database.read((tx) => wantedSenders(tx, accountId, sentBy))
    if (sentBy !== undefined && !by) return { items: [], next: undefined, stoppedAt: undefined, scanned: 0 }
    const search = {
      scope: scopeOf(principal),
      filter,
      words,
      by,
      after: decode(cursor),
      limit: limit + 1,
      limits,
    }
    const found = await searchWords(database, search)
    return { ...pageOfFound(found, limit), scanned: found.scanned }
  }

  return {
    transaction,
    walletMessage: transaction,
    walletMessages: ({ wallet }, ids) => database.read((tx) => findMessages(tx, wallet.id, ids)),

    async messageInFull(principal, id) {
      const message = await transaction(principal, id)
      const [source, sentBy] = await database.read(async (tx) => [
        await timelineSource(tx, message, clock.now()),
        (await sendersOf(tx, [message]))(message),
      ])
      const { failureReason: _, ...rest } = source.message
      const full = {
        message: rest,
        failureReason: failureReasonOf(source.message),
        timeline: timelineOf(source),
        waiting: source.waiting,
        sentBy,
      }
      return showCarriers ? full : withoutCarrier(full)
    },

    async search(principal, filter, request) {
      if (filter.sentBy !== undefined) return lookThrough(principal, filter, [], request)
      const { cursor, limit } = request
      const after = decode(cursor)
      const scope = scopeOf(principal)
      const page = { after, limit: limit + 1 }
      return pageOfFound(await database.read((tx) => searchMessages(tx, scope, filter, page, limits)), limit)
    },

    searchWords: lookThrough,

    sendersOf: (messages) => database.read((tx) => sendersOf(tx, messages)),

    count: async (principal, filter, most) =>
      filter.sentBy === undefined
        ? database.read((tx) => countMessages(tx, scopeOf(principal), filter, most, limits.open))
        : undefined,
  }
}

/** Which carrier had a message, and what that calls it, is the operator's to know. */
function withoutCarrier({ message, waiting, ...rest }: MessageInFull): MessageInFull {
  return {
    ...rest,
    message: { ...message, carrier: null, carrierRef: null },
    waiting: waiting && { ...waiting, carrier: undefined },
  }
}

/** Turns what was found, one row more than a page holds, into the page. */
function pageOfFound({ rows, stoppedAt }: Found, limit: number): SearchPage {
  const { items, next } = pageOf(rows, limit, positionOf)
  if (next !== undefined || !stoppedAt) return { items, next, stoppedAt: undefined }
  return { items, next: encode(stoppedAt), stoppedAt: epochMs(stoppedAt.at) }
}

function positionOf({ createdAt, id }: MessageRow): Position {
  return { at: createdAt, id }
}

function scopeOf({ wallet, senders }: Pick<WalletPrincipal, 'wallet' | 'senders'>): SearchScope {
  return { walletId: wallet.id, senders: [...senders.keys()] }
}
