import { and, desc, eq } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { Position } from '../../net/server/paging.ts'
import type { Tx } from '../../store/database.ts'
import type { MessageRow } from '../index.ts'
import {
  type IndexRange,
  inTime,
  isTo,
  type MessageFilter,
  newestFirst,
  rangesFor,
  rowsOf,
  type SearchScope,
  type Stretch,
  within,
} from './index-ranges.ts'

/** How many messages are looked at for one page. */
export interface SearchLimits {
  /** Of those that are open: they have no index but the order of their times. */
  open: number
  /** For words, found or not. */
  words: number
  /** For words among those of a status or a sender, which are far from one another on disk. */
  wordsOfAKey: number
  /** For words among those of a recipient, which are farther. */
  wordsOfARecipient: number
  /**
   * For words in one read, so that other work gets its turn in between. Each of many ranges is read before the first
   * message is taken, so their slices are smaller.
   */
  slice: number
}

export const SEARCH_LIMITS: SearchLimits = {
  open: 5_000,
  words: 5_000,
  wordsOfAKey: 2_000,
  wordsOfARecipient: 1_000,
  slice: 500,
}

export interface Found {
  /** Newest first. */
  rows: MessageRow[]
  /** How far the page looked, when it is not full and there may be more; undefined otherwise. */
  stoppedAt: Position | undefined
}

interface Page extends Stretch {
  limit: number
}

/**
 * A page of a wallet's messages, newest first. Every kind of filter has an index in result order, or in result order
 * within each run of recipients, so a page from a million messages reads no more of them than one from a thousand. Of
 * messages that are not final yet, a bounded number is scanned per page.
 */
export async function searchMessages(
  tx: Tx,
  scope: SearchScope,
  filter: MessageFilter,
  { after, limit }: { after: Position | undefined; limit: number },
  { open } = SEARCH_LIMITS,
): Promise<Found> {
  const ranges = rangesFor(tx, scope, filter)
  const until = await endOfRanges(tx, ranges, after, open)
  // In the order of a message's life: one that becomes final meanwhile is found at least once, and the later result
  // wins.
  const found = new Map<Ticket, MessageRow>()
  for (const range of ranges) {
    const rows = await readRange(tx, range, { after, until, limit }, matching)
    for (const row of rows) found.set(row.id, row)
  }
  const rows = [...found.values()].sort(newestFirst).slice(0, limit)
  return { rows, stoppedAt: rows.length < limit ? until : undefined }
}

/** How many messages match, counted up to a limit; undefined when too many open messages would have to be looked at. */
export async function countMessages(
  tx: Tx,
  scope: SearchScope,
  filter: MessageFilter,
  most: number,
  mostOpen = SEARCH_LIMITS.open,
): Promise<number | undefined> {
  const ranges = rangesFor(tx, scope, filter)
  const stretch = { after: undefined, until: await endOfRanges(tx, ranges, undefined, mostOpen) }
  let counted = 0
  for (const range of ranges) {
    if (counted >= most) break
    const rows = await readRange(tx, range, { ...stretch, limit: most - counted }, placesOf)
    counted += rows.length
  }
  return counted < most && stretch.until ? undefined : counted
}

/** Where the ranges of open messages end that begin after a position; undefined when there are few enough. Reads an index alone. */
export async function endOfRanges(
  tx: Tx,
  ranges: readonly IndexRange[],
  after: Position | undefined,
  most: number,
): Promise<Position | undefined> {
  const open = ranges.find(({ kind }) => kind === 'open')
  if (!open) return undefined
  const { messages } = tx.t
  const { createdAt, id } = messages
  const stretch = { after, until: undefined }
  const [end] = await tx.db
    .select({ at: createdAt, id })
    .from(messages)
    .where(
      and(
        eq(messages.walletId, open.walletId),
        open.key,
        inTime(tx, open.filter, stretch),
        within(tx, stretch),
      ),
    )
    .orderBy(desc(createdAt), desc(id))
    .limit(1)
    .offset(most - 1)
  return end
}

/** Reads rows of a range, newest first. */
type Read<Row extends Place> = (tx: Tx, range: IndexRange, page: Page) => Promise<Row[]>

/** The columns that searching needs: a message's place in the order, and its recipient. */
type Place = Pick<MessageRow, 'id' | 'createdAt' | 'recipient'>

/** A page of one range, newest first. */
export function readRange<Row extends Place>(
  tx: Tx,
  range: IndexRange,
  page: Page,
  read: Read<Row>,
): Promise<Row[]> {
  return range.kind === 'runs' ? readInRuns(tx, range, page, read) : readMatching(tx, range, page, read)
}

/** Reads on past messages to other phones, which share the last digits, and in runs the key as well. */
async function readMatching<Row extends Place>(
  tx: Tx,
  range: IndexRange,
  { after, until, limit }: Page,
  read: Read<Row>,
): Promise<Row[]> {
  const matches = isTo(range.filter)
  const found: Row[] = []
  for (let from = after; ; ) {
    const wanted = limit - found.length
    const rows = await read(tx, range, { after: from, until, limit: wanted })
    found.push(...rows.filter(matches))
    const last = rows.at(-1)
    if (!last || rows.length < wanted || found.length === limit) return found
    from = { at: last.createdAt, id: last.id }
  }
}

/**
 * First finds in the index how far back the page reaches, so that only a recipient's newest messages are fetched and
 * sorted. Goes further back when too few of them match the rest of the filter.
 */
async function readInRuns<Row extends Place>(
  tx: Tx,
  range: IndexRange,
  page: Page,
  read: Read<Row>,
): Promise<Row[]> {
  for (let newest = page.limit; ; newest *= 16) {
    const since = await timeOfNewest(tx, range, page, newest)
    const filter = { ...range.filter, createdFrom: since ?? range.filter.createdFrom }
    const rows = await readMatching(tx, { ...range, filter }, page, read)
    if (since === undefined || rows.length === page.limit) return rows
  }
}

/** The time of the nth newest row; undefined when there are fewer. */
async function timeOfNewest(
  tx: Tx,
  { key, filter }: IndexRange,
  stretch: Stretch,
  nth: number,
): Promise<EpochMs | undefined> {
  const { createdAt } = tx.t.messages
  const [row] = await tx.db
    .select({ createdAt })
    .from(tx.t.messages)
    .where(and(key, inTime(tx, filter, stretch)))
    .orderBy(desc(createdAt))
    .limit(1)
    .offset(nth - 1)
  return row?.createdAt
}

async function matching(tx: Tx, range: IndexRange, page: Page): Promise<MessageRow[]> {
  const { messages } = tx.t
  return tx.db
    .select()
    .from(messages)
    .where(rowsOf(tx, range, page))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(page.limit)
}

async function placesOf(tx: Tx, range: IndexRange, page: Page): Promise<Place[]> {
  const { id, createdAt, recipient } = tx.t.messages
  return tx.db
    .select({ id, createdAt, recipient })
    .from(tx.t.messages)
    .where(rowsOf(tx, range, page))
    .orderBy(desc(createdAt), desc(id))
    .limit(page.limit)
}
