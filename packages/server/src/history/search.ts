import { and, count, desc, sql } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Position } from '../platform/http/wire.ts'
import {
  inTime,
  type Look,
  looksFor,
  type MessageFilter,
  newestFirst,
  rowsOf,
  type SearchScope,
} from './looks.ts'

interface Page {
  after: Position | undefined
  limit: number
}

/**
 * A page of a wallet's messages, newest first. Every kind of filter has an index in result order, or in result order
 * within each run of recipients, so a page from a million messages reads no more of them than one from a thousand. Only
 * messages that are not final yet are scanned.
 */
export async function searchMessages(
  tx: Tx,
  scope: SearchScope,
  filter: MessageFilter,
  page: Page,
): Promise<MessageRow[]> {
  // In the order of a message's life: one that becomes final meanwhile is found at least once, and the later result
  // wins.
  const found = new Map<Ticket, MessageRow>()
  for (const look of looksFor(tx, scope, filter)) {
    const rows = await readLook(tx, look, page, matching)
    for (const row of rows) found.set(row.id, row)
  }
  return [...found.values()].sort(newestFirst).slice(0, page.limit)
}

/** How many messages match, counted up to a limit. */
export async function countMessages(
  tx: Tx,
  scope: SearchScope,
  filter: MessageFilter,
  most: number,
): Promise<number> {
  let counted = 0
  const { createdAt, id } = tx.t.messages
  for (const look of looksFor(tx, scope, filter)) {
    if (counted >= most) break
    // In the order of the index: without one, PostgreSQL may read the table from its beginning until it has enough.
    const order = look.kind === 'runs' ? [] : [desc(createdAt), desc(id)]
    const some = tx.db
      .select({ one: sql`1`.as('one') })
      .from(tx.t.messages)
      .where(rowsOf(tx, look, undefined))
      .orderBy(...order)
      .limit(most - counted)
      .as('some')
    const [row] = await tx.db.select({ rows: count() }).from(some)
    counted += row?.rows ?? 0
  }
  return counted
}

/** Reads rows of a look, newest first. */
type Read<Row> = (tx: Tx, look: Look, page: Page) => Promise<Row[]>

/** A page of one look, newest first. */
export function readLook<Row>(tx: Tx, look: Look, page: Page, read: Read<Row>): Promise<Row[]> {
  return look.kind === 'runs' ? readInRuns(tx, look, page, read) : read(tx, look, page)
}

/**
 * First finds in the index how far back the page reaches, so that only a recipient's newest messages are fetched and
 * sorted. Goes further back when too few of them match the rest of the filter.
 */
async function readInRuns<Row>(tx: Tx, look: Look, page: Page, read: Read<Row>): Promise<Row[]> {
  for (let newest = page.limit; ; newest *= 16) {
    const since = await timeOfNewest(tx, look, page.after, newest)
    const filter = { ...look.filter, createdFrom: since ?? look.filter.createdFrom }
    const rows = await read(tx, { ...look, filter }, page)
    if (since === undefined || rows.length === page.limit) return rows
  }
}

/** The time of the nth newest row; undefined when there are fewer. */
async function timeOfNewest(
  tx: Tx,
  { key, filter }: Look,
  after: Position | undefined,
  nth: number,
): Promise<EpochMs | undefined> {
  const { createdAt } = tx.t.messages
  const [row] = await tx.db
    .select({ createdAt })
    .from(tx.t.messages)
    .where(and(key, inTime(tx, filter, after)))
    .orderBy(desc(createdAt))
    .limit(1)
    .offset(nth - 1)
  return row?.createdAt
}

async function matching(tx: Tx, look: Look, { after, limit }: Page): Promise<MessageRow[]> {
  const { messages } = tx.t
  return tx.db
    .select()
    .from(messages)
    .where(rowsOf(tx, look, after))
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(limit)
}
