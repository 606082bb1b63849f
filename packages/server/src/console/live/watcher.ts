import type { EpochMs, Ticket } from '../../domain/ids.ts'
import { termsOf } from '../../history/index.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'
import { type ListedMessage, messageRow } from '../inbox/row.ts'
import { eventText } from './events.ts'
import type { Served } from './pump.ts'
import type { Reads } from './read.ts'
import { createSeen, type Difference, PAGE_ROWS } from './seen.ts'

/** A stream that is told of what a watcher sees. */
export interface Reader {
  send(text: string): void
}

/** What a page shows when it opens its stream. */
export interface Showing {
  /** The newest message that the page knows of; undefined to begin with what comes from now on. */
  last: string | undefined
  /** Messages on the page that may have changed since it was made. */
  open: readonly Ticket[]
}

/** Polls what one filter matches in one wallet, for all streams that show it. */
export interface Watcher extends Served {
  /** Tells a reader what its page has missed at the next poll, and of everything from then on. */
  join(reader: Reader, showing: Showing): void
  leave(reader: Reader): void
  send(text: string): void
  isWatched(): boolean
}

export interface WatcherOptions {
  reads: Reads
  principal: WalletPrincipal
  q: string
  now(): EpochMs
}

/** At most four bursts a second, and one where messages come in a flood: there it is a number that grows. */
const EVERY_MS = 250
const FLOOD_EVERY_MS = 1_000
/** More new rows than this at a time are told as a number. */
const MOST_ROWS = 50
/** Messages that are accepted together may be committed out of order. Those this much older are told again. */
const OVERLAP_MS = 1_000

export function createWatcher({ reads, principal, q, now }: WatcherOptions): Watcher {
  const seen = createSeen()
  const readers = new Set<Reader>()
  const joining = new Map<Reader, Showing>()
  const byStatus = termsOf(q).some(({ key }) => key === 'status')
  let sentPurse = ''

  async function poll(): Promise<Polled> {
    const [{ rows: page, floor }, purse] = await Promise.all([
      reads.page(principal, q),
      reads.purse(principal),
    ])
    const listed = new Set(page.map(({ id }) => id))
    const wanted = seen.open().filter((id) => !listed.has(id))
    const others = await reads.known(principal, wanted)
    return { page, floor, others, purse }
  }

  /** The rows of new messages, or their number when there are too many. */
  async function arrivals(fresh: readonly ListedMessage[], after: string): Promise<string> {
    if (fresh.length <= MOST_ROWS) return rowsText('row', fresh)
    const many = fresh.length < PAGE_ROWS ? fresh.length : await reads.countAfter(principal, q, after)
    return eventText('many', String(many), fresh.at(-1)?.id)
  }

  function rowsText(event: 'row' | 'row-changed', rows: readonly ListedMessage[]): string {
    const place = { now: now(), q, open: false }
    return rows.map((row) => eventText(event, messageRow(row, place).toString(), row.id)).join('')
  }

  /** Compares with what was seen before this poll, so it is called before that is remembered. */
  async function newsOf({ fresh, changed }: Difference, purse: string): Promise<string> {
    const money = purse === sentPurse ? '' : eventText('purse', purse)
    return (await arrivals(fresh, seen.newest())) + rowsText('row-changed', changed) + money
  }

  /** What a page has missed between the moment when it was made, or lost its stream, and now. */
  async function missedBy({ last, open }: Showing, { page, others, purse }: Polled): Promise<Missed> {
    const missed = last === undefined ? [] : page.filter(({ id }) => id > last).reverse()
    const late = last === undefined ? [] : page.filter(({ id }) => id < last && id > lateSince(last))
    const again = new Set(late)
    const changed = [...page, ...others].filter((row) => open.includes(row.id) && !again.has(row))
    const rows = rowsText('row', late.reverse()) + (await arrivals(missed, last ?? ''))
    const text = rows + rowsText('row-changed', changed) + eventText('purse', purse)
    return { text, shown: missed.length > MOST_ROWS ? late : [...late, ...missed] }
  }

  /** Under a filter by status a message comes into the list when it ends, however old it is. */
  function lateSince(last: string): string {
    return byStatus ? '' : momentBefore(last)
  }

  return {
    accountId: principal.accountId,
    join: (reader, showing) => void joining.set(reader, showing),
    leave(reader) {
      readers.delete(reader)
      joining.delete(reader)
    },
    send(text) {
      for (const reader of [...readers, ...joining.keys()]) reader.send(text)
    },
    isWatched: () => readers.size + joining.size > 0,

    async serve(dropped) {
      const newcomers = [...joining]
      for (const [, { open }] of newcomers) seen.watch(open)
      const polled = await poll()
      const { page, floor, others, purse } = polled
      const difference = seen.compare(page, others)
      const news = await newsOf(difference, purse)
      const missed = new Map<Reader, Missed>()
      for (const [reader, showing] of newcomers) missed.set(reader, await missedBy(showing, polled))
      dropped.throwIfAborted()
      const isFlood = difference.fresh.length > MOST_ROWS
      const shown = [...missed.values()].flatMap((each) => each.shown)
      seen.remember({ rows: page, floor }, others, isFlood ? shown : [...difference.fresh, ...shown])
      sentPurse = purse
      if (news !== '') for (const reader of readers) reader.send(news)
      for (const [reader, { text }] of missed) {
        if (!joining.delete(reader)) continue
        readers.add(reader)
        reader.send(text)
      }
      return isFlood ? FLOOD_EVERY_MS : EVERY_MS
    },
  }
}

/** What a page that opens its stream is told, and the rows that it shows from then on. */
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
