import type { EpochMs, Ticket } from '../../../kernel/ids.ts'
import type { WalletPrincipal } from '../../../kernel/principal.ts'
import { termsOf } from '../../../messages/history/index.ts'
import { render } from '../../../net/pages/markup.ts'
import { eventText as textOf } from '../../live/stream.ts'
import { type ListedMessage, messageRow } from '../messages/list.tsx'
import type { Served } from './pump.ts'
import { type Difference, type NewestPage, PAGE_ROWS, Seen } from './seen.ts'

/** A filter of a wallet. */
export interface Watched {
  principal: WalletPrincipal
  q: string
}

/** A stream that is told of what a watcher sees. */
export interface Reader {
  send(text: string): void
}

/** The messages on a page when it opens its stream. */
export interface Showing {
  /** The newest message that the page knows of; undefined to begin with what comes from now on. */
  last: string | undefined
  /** Messages on the page that may have changed since it was made. */
  open: readonly Ticket[]
}

/** Queries of the streams, each within one wallet. */
export interface Reads {
  /** The newest messages that a filter matches. */
  page(principal: WalletPrincipal, q: string): Promise<NewestPage>
  /** Messages that were seen before, whatever the filter. */
  known(principal: WalletPrincipal, ids: readonly Ticket[]): Promise<ListedMessage[]>
  /** How many messages of a filter are newer than one, up to a limit. */
  countAfter(principal: WalletPrincipal, q: string, ticket: string): Promise<number>
  /** The balance as the rail shows it. */
  purse(principal: WalletPrincipal): Promise<string>
}

/** At most four bursts a second, and one where messages come in a flood: there it is a number that grows. */
const EVERY_MS = 250
const FLOOD_EVERY_MS = 1_000
/** More new rows than this at a time are told as a number. */
const MOST_ROWS = 50
/** Messages accepted together may be committed out of order, so messages this much older are sent again. */
const OVERLAP_MS = 1_000

/** Polls what one filter matches in one wallet, for all streams that show it. */
export class Watcher implements Served {
  readonly accountId: string
  readonly #reads: Reads
  readonly #principal: WalletPrincipal
  readonly #q: string
  readonly #now: () => EpochMs
  readonly #seen = new Seen()
  readonly #readers = new Set<Reader>()
  readonly #joining = new Map<Reader, Showing>()
  readonly #byStatus: boolean
  #sentPurse = ''

  constructor(reads: Reads, { principal, q }: Watched, now: () => EpochMs) {
    this.accountId = principal.accountId
    this.#reads = reads
    this.#principal = principal
    this.#q = q
    this.#now = now
    this.#byStatus = termsOf(q).some(({ key }) => key === 'status')
  }

  /** Tells a reader what its page has missed at the next poll, and of everything from then on. */
  join(reader: Reader, showing: Showing): void {
    this.#joining.set(reader, showing)
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader)
    this.#joining.delete(reader)
  }

  send(text: string): void {
    for (const reader of [...this.#readers, ...this.#joining.keys()]) reader.send(text)
  }

  isWatched(): boolean {
    return this.#readers.size + this.#joining.size > 0
  }

  async serve(dropped: AbortSignal): Promise<number> {
    const newcomers = [...this.#joining]
    for (const [, { open }] of newcomers) this.#seen.watch(open)
    const polled = await this.#poll()
    const { page, floor, others, purse } = polled
    const difference = this.#seen.compare(page, others)
    const news = await this.#newsOf(difference, purse)
    const missed = new Map<Reader, Missed>()
    for (const [reader, showing] of newcomers) missed.set(reader, await this.#missedBy(showing, polled))
    dropped.throwIfAborted()
    const isFlood = difference.fresh.length > MOST_ROWS
    const shown = [...missed.values()].flatMap((each) => each.shown)
    this.#seen.remember({ rows: page, floor }, others, isFlood ? shown : [...difference.fresh, ...shown])
    this.#sentPurse = purse
    if (news !== '') for (const reader of this.#readers) reader.send(news)
    for (const [reader, { text }] of missed) {
      if (!this.#joining.delete(reader)) continue
      this.#readers.add(reader)
      reader.send(text)
    }
    return isFlood ? FLOOD_EVERY_MS : EVERY_MS
  }

  async #poll(): Promise<Polled> {
    const [{ rows: page, floor }, purse] = await Promise.all([
      this.#reads.page(this.#principal, this.#q),
      this.#reads.purse(this.#principal),
    ])
    const listed = new Set(page.map(({ id }) => id))
    const wanted = this.#seen.open().filter((id) => !listed.has(id))
    const others = await this.#reads.known(this.#principal, wanted)
    return { page, floor, others, purse }
  }

  /** Compares with what was seen before this poll, so it is called before that is remembered. */
  async #newsOf({ fresh, changed }: Difference, purse: string): Promise<string> {
    const money = purse === this.#sentPurse ? '' : eventText('purse', purse)
    return (await this.#arrivals(fresh, this.#seen.newest())) + this.#rowsText('row-changed', changed) + money
  }

  /** News since the page was made or lost its stream. */
  async #missedBy({ last, open }: Showing, { page, others, purse }: Polled): Promise<Missed> {
    const missed = last === undefined ? [] : page.filter(({ id }) => id > last).reverse()
    const late = last === undefined ? [] : page.filter(({ id }) => id < last && id > this.#lateSince(last))
    const again = new Set(late)
    const changed = [...page, ...others].filter((row) => open.includes(row.id) && !again.has(row))
    const rows = this.#rowsText('row', late.reverse()) + (await this.#arrivals(missed, last ?? ''))
    const text = rows + this.#rowsText('row-changed', changed) + eventText('purse', purse)
    return { text, shown: missed.length > MOST_ROWS ? late : [...late, ...missed] }
  }

  /** Under a filter by status a message comes into the list when it ends, however old it is. */
  #lateSince(last: string): string {
    return this.#byStatus ? '' : momentBefore(last)
  }

  /** The rows of new messages, or their number when there are too many. */
  async #arrivals(fresh: readonly ListedMessage[], after: string): Promise<string> {
    if (fresh.length <= MOST_ROWS) return this.#rowsText('row', fresh)
    const many =
      fresh.length < PAGE_ROWS ? fresh.length : await this.#reads.countAfter(this.#principal, this.#q, after)
    return eventText('many', String(many), fresh.at(-1)?.id)
  }

  #rowsText(event: 'row' | 'row-changed', rows: readonly ListedMessage[]): string {
    const place = { now: this.#now(), q: this.#q, open: false }
    return rows.map((row) => eventText(event, render(messageRow(row, place)), row.id)).join('')
  }
}

/** The first text for a page that opens its stream, and the rows that it shows from then on. */
interface Missed {
  text: string
  shown: readonly ListedMessage[]
}

interface Polled {
  page: ListedMessage[]
  floor: string
  others: readonly ListedMessage[]
  purse: string
}

/** A point in the order of tickets a moment before one of them. Their first 48 bits are milliseconds. */
function momentBefore(ticket: string): string {
  const ms = Number.parseInt(ticket.slice(0, 8) + ticket.slice(9, 13), 16)
  if (!(ms > OVERLAP_MS)) return ''
  const hex = (ms - OVERLAP_MS).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}`
}

/** Events that a stream sends to a page. */
type LiveEvent =
  /** A message that the page does not show yet: the HTML of its row. */
  | 'row'
  /** A message that has changed: the HTML of its row. */
  | 'row-changed'
  /** How many messages are new, in place of their rows. 501 means more than 500. */
  | 'many'
  /** The balance, as text. */
  | 'purse'
  /** In a sandbox, a request that was refused: the HTML of a note. */
  | 'refused'
  /** The session is over. Other ends of a stream are not announced: the page opens it again. */
  | 'end'

/** An event as it is sent. With an id, a stream that is opened again goes on after that message. */
export const eventText: (event: LiveEvent, data: string, id?: string) => string = textOf
