import { Problem } from '../../kernel/errors.ts'
import { type EpochMs, epochMs, isTicket, type Ticket, timeOfTicket } from '../../kernel/ids.ts'
import { type FailureReason, failureReasonOf } from '../../kernel/message.ts'
import type { Principal, WalletPrincipal } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import {
  decode,
  encode,
  type Page,
  type PageRequest,
  type Position,
  pageOf,
} from '../../net/server/paging.ts'
import type { Replica } from '../../store/database.ts'
import { findMessage, findMessages, keptSince, type MessageRow, shownTo } from '../index.ts'
import type { MessageFilter, SearchScope } from './index-ranges.ts'
import { countMessages, type Found, SEARCH_LIMITS, type SearchLimits, searchMessages } from './search.ts'
import { type Senders, type SentBy, sendersOf, wantedSenders } from './sent-by.ts'
import { type TimelineEntry, timelineOf, timelineSource, type WaitingFor } from './timeline.ts'
import { searchWords } from './word-search.ts'

/** A message with its events, and with what it waits for until it is final, as its customer may read it. */
export interface MessageInFull {
  message: Omit<MessageRow, 'failureReason'>
  /** Undefined while it is not final, and when it was delivered. */
  failureReason: FailureReason | undefined
  timeline: TimelineEntry[]
  waiting: WaitingFor | undefined
  /** Undefined when it was accepted before this was stored. */
  sentBy: SentBy | undefined
}

/** Reads of messages. A caller who does not see texts gets none, and finds nothing by what is not shown. */
export class Queries {
  readonly #database: Replica
  readonly #clock: Pick<Clock, 'now'>
  readonly #showCarriers: boolean
  readonly #limits: SearchLimits

  constructor(
    database: Replica,
    clock: Pick<Clock, 'now'>,
    showCarriers: boolean,
    limits: SearchLimits = SEARCH_LIMITS,
  ) {
    this.#database = database
    this.#clock = clock
    this.#showCarriers = showCarriers
    this.#limits = limits
  }

  /** Any transaction of the account. A caller bound to a wallet sees only that wallet's transactions. */
  async transaction(principal: Principal, ticket: string): Promise<MessageRow> {
    return shownTo(principal, await this.#whole(principal, ticket))
  }

  async #whole({ accountId, wallet }: Principal, ticket: string): Promise<MessageRow> {
    const message = isTicket(ticket)
      ? await this.#database.read((tx) => findMessage(tx, accountId, ticket.toLowerCase()))
      : undefined
    if (!message || (wallet && message.walletId !== wallet.id)) throw await this.#notFound(ticket)
    return message
  }

  /** A message of the caller's wallet. */
  walletMessage(principal: WalletPrincipal, id: string): Promise<MessageRow> {
    return this.transaction(principal, id)
  }

  /** The messages with these ids that belong to the caller's wallet. */
  async walletMessages(principal: WalletPrincipal, ids: readonly Ticket[]): Promise<MessageRow[]> {
    const rows = await this.#database.read((tx) => findMessages(tx, principal.wallet.id, ids))
    return rows.map((row) => shownTo(principal, row))
  }

  async messageInFull(principal: WalletPrincipal, id: string): Promise<MessageInFull> {
    const message = await this.#whole(principal, id)
    const [source, sentBy] = await this.#database.read(async (tx) => [
      await timelineSource(tx, message, this.#clock.now()),
      (await sendersOf(tx, [message]))(message),
    ])
    const { failureReason: _, ...rest } = source.message
    const full = {
      message: shownTo(principal, rest),
      failureReason: failureReasonOf(source.message),
      timeline: timelineOf(source),
      waiting: source.waiting,
      sentBy,
    }
    return this.#showCarriers ? full : withoutCarrier(full)
  }

  /** Scans a bounded number of open messages per page; of any, where it asks who sent them. */
  async search(principal: WalletPrincipal, filter: MessageFilter, request: PageRequest): Promise<SearchPage> {
    if (filter.sentBy !== undefined) return this.searchWords(principal, filter, [], request)
    refuseHidden(principal, filter)
    const { cursor, limit } = request
    const after = decode(cursor)
    const scope = scopeOf(principal)
    const page = { after, limit: limit + 1 }
    const found = await this.#database.read((tx) => searchMessages(tx, scope, filter, page, this.#limits))
    return pageOfFound(principal, found, limit)
  }

  /**
   * Messages that have all the words in their text or reference, or were sent by whom the filter names. Scans a bounded
   * number of messages per page.
   */
  async searchWords(
    principal: WalletPrincipal,
    filter: MessageFilter,
    words: readonly string[],
    { cursor, limit }: PageRequest,
  ): Promise<WordsPage> {
    refuseHidden(principal, filter, words)
    const { accountId } = principal
    const { sentBy } = filter
    const by =
      sentBy === undefined
        ? undefined
        : await this.#database.read((tx) => wantedSenders(tx, accountId, sentBy))
    if (sentBy !== undefined && !by) return { items: [], next: undefined, stoppedAt: undefined, scanned: 0 }
    const search = {
      scope: scopeOf(principal),
      filter,
      words,
      by,
      after: decode(cursor),
      limit: limit + 1,
      limits: this.#limits,
    }
    const found = await searchWords(this.#database, search)
    return { ...pageOfFound(principal, found, limit), scanned: found.scanned }
  }

  /** Who sent some messages, by name. */
  sendersOf(messages: readonly MessageRow[]): Promise<Senders> {
    return this.#database.read((tx) => sendersOf(tx, messages))
  }

  /** How many messages match, counted up to a limit; undefined when counting would take too long. */
  async count(principal: WalletPrincipal, filter: MessageFilter, most: number): Promise<number | undefined> {
    refuseHidden(principal, filter)
    if (filter.sentBy !== undefined) return undefined
    const scope = scopeOf(principal)
    return this.#database.read((tx) => countMessages(tx, scope, filter, most, this.#limits.open))
  }

  /** Says so when messages as old as this ticket were deleted, whether or not there was one with this ticket. */
  async #notFound(ticket: string): Promise<Problem> {
    const none = `This account has no transaction ${ticket}.`
    const madeAt = isTicket(ticket) ? timeOfTicket(ticket) : undefined
    const kept = madeAt === undefined ? 0 : await this.#database.read(keptSince)
    const since = `Messages from before ${new Date(kept).toISOString()} have been deleted; the ledger still has their charges.`
    return new Problem('transaction_not_found', (madeAt ?? 0) < kept ? `${none} ${since}` : none)
  }
}

/** A page of a search. When it is not full, `next` goes on with messages that were not looked at. */
export interface SearchPage extends Page<MessageRow> {
  /** When the last message was accepted that was looked at; undefined when the page is full, or no more match. */
  stoppedAt: EpochMs | undefined
}

export interface WordsPage extends SearchPage {
  scanned: number
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
function pageOfFound(principal: Principal, { rows, stoppedAt }: Found, limit: number): SearchPage {
  const found = pageOf(rows, limit, positionOf)
  const { next } = found
  const items = found.items.map((row) => shownTo(principal, row))
  if (next !== undefined || !stoppedAt) return { items, next, stoppedAt: undefined }
  return { items, next: encode(stoppedAt), stoppedAt: epochMs(stoppedAt.at) }
}

/** A message that is found by its text tells it, however little is shown. Pages refuse this before, in words. */
function refuseHidden(
  { withoutTexts }: Principal,
  filter: MessageFilter,
  words: readonly string[] = [],
): void {
  if (withoutTexts && hiddenIn(filter, words) !== undefined)
    throw new Error('expected no search by what the caller may not see')
}

/** The part of a filter that looks for what is hidden from a caller who does not see texts. */
export function hiddenIn(
  { recipient, reference }: MessageFilter,
  words: readonly string[],
): 'number' | 'reference' | 'words' | undefined {
  if (recipient !== undefined) return 'number'
  if (reference !== undefined) return 'reference'
  return words.length > 0 ? 'words' : undefined
}

function positionOf({ createdAt, id }: MessageRow): Position {
  return { at: createdAt, id }
}

function scopeOf({ wallet, senders }: Pick<WalletPrincipal, 'wallet' | 'senders'>): SearchScope {
  return { walletId: wallet.id, senders: [...senders.keys()] }
}
