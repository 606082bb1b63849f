import { and, asc, desc, eq, gt, gte, isNull, lt, lte, or, type SQL } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { FINAL_STATUSES, isFinal, type Status } from '../domain/message.ts'
import type { Connection } from './database.ts'
import type { MessageRow } from './messages.ts'
import { hasKeyOf } from './recipient-runs.ts'
import { senderKey } from './search-keys.ts'

/** What a message must match, all of it. */
export interface MessageFilter {
  createdFrom: EpochMs | undefined
  createdBefore: EpochMs | undefined
  status: Status | undefined
  recipient: string | undefined
  sender: string | undefined
}

/** Where a page ended. */
export interface Position {
  at: number
  id: string
}

interface Page {
  after: Position | undefined
  limit: number
}

/** Whose messages are searched. */
export interface SearchScope {
  walletId: string
  /** Every sender ID that the account ever had. */
  senders: readonly string[]
}

/**
 * A page of a wallet's messages, newest first. Each shape of filter has an index that ends in the order of the
 * results, or does so in each run of recipients, so that of a million messages no more are read than of a thousand.
 * Only messages that are not final yet are looked through.
 */
export async function searchMessages(
  connection: Connection,
  scope: SearchScope,
  filter: MessageFilter,
  page: Page,
): Promise<MessageRow[]> {
  // In the order of a message's life: one that becomes final meanwhile is found at least once, and the later look is
  // the truth.
  const found = new Map<Ticket, MessageRow>()
  for (const look of looksFor(connection, scope, filter)) {
    const rows = await (look.inRuns ? matchingInRuns : matching)(connection, look, page)
    for (const row of rows) found.set(row.id, row)
  }
  return [...found.values()].sort(newestFirst).slice(0, page.limit)
}

/** A part of one index, and what of it matches. */
interface Look {
  walletId: string
  /** Which part; undefined for all of the wallet's messages. Two wallets may share a key. */
  key: SQL | undefined
  filter: MessageFilter
  /** The part lies in many runs, each in order of time. */
  inRuns?: true
}

function looksFor(connection: Connection, { walletId, senders }: SearchScope, filter: MessageFilter): Look[] {
  const { messages } = connection.t
  const { recipient, sender, status } = filter
  if (recipient === undefined && sender === undefined && status === undefined)
    return [{ walletId, key: undefined, filter }]
  const open = { walletId, key: isNull(messages.senderKey), filter }
  if (status !== undefined && !isFinal(status)) return [open]
  const final: Look[] = []
  if (recipient !== undefined) {
    final.push({ walletId, key: hasKeyOf(connection, walletId, recipient), filter, inRuns: true })
  } else {
    // One index serves sender, status and both: whichever is not given is looked up value by value.
    for (const each of sender === undefined ? senders : [sender]) {
      for (const ending of status === undefined ? FINAL_STATUSES : [status]) {
        const key = eq(messages.senderKey, senderKey(walletId, each, ending))
        final.push({ walletId, key, filter: { ...filter, sender: each, status: ending } })
      }
    }
  }
  return status === undefined ? [open, ...final] : final
}

/**
 * How far back a page reaches is read from the index first, so that of a recipient with many messages only the newest
 * are fetched and sorted. Where too few of those match the rest of the filter, more are looked at.
 */
async function matchingInRuns(connection: Connection, look: Look, page: Page): Promise<MessageRow[]> {
  for (let newest = page.limit; ; newest *= 16) {
    const since = await timeOfNewest(connection, look, page.after, newest)
    const filter = { ...look.filter, createdFrom: since ?? look.filter.createdFrom }
    const rows = await matching(connection, { ...look, filter }, page)
    if (since === undefined || rows.length === page.limit) return rows
  }
}

/** The time of the nth newest row; undefined when there are fewer. */
async function timeOfNewest(
  connection: Connection,
  { key, filter }: Look,
  after: Position | undefined,
  nth: number,
): Promise<EpochMs | undefined> {
  const { createdAt } = connection.t.messages
  const [row] = await connection.db
    .select({ createdAt })
    .from(connection.t.messages)
    .where(and(key, inTime(connection, filter, after)))
    .orderBy(desc(createdAt))
    .limit(1)
    .offset(nth - 1)
  return row?.createdAt
}

async function matching(
  connection: Connection,
  { walletId, key, filter }: Look,
  { after, limit }: Page,
): Promise<MessageRow[]> {
  const { messages } = connection.t
  const { status, recipient, sender } = filter
  return connection.db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.walletId, walletId),
        key,
        inTime(connection, filter, after),
        status && eq(messages.status, status),
        recipient === undefined ? undefined : eq(messages.recipient, recipient),
        sender === undefined ? undefined : eq(messages.sender, sender),
        after && or(lt(messages.createdAt, after.at as EpochMs), lt(messages.id, after.id as Ticket)),
      ),
    )
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(limit)
}

function inTime(
  { t: { messages } }: Connection,
  { createdFrom, createdBefore }: MessageFilter,
  after: Position | undefined,
): SQL | undefined {
  return and(
    createdFrom === undefined ? undefined : gte(messages.createdAt, createdFrom),
    createdBefore === undefined ? undefined : lt(messages.createdAt, createdBefore),
    after && lte(messages.createdAt, after.at as EpochMs),
  )
}

function newestFirst(a: MessageRow, b: MessageRow): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)
}

/** A page of the messages that wait for their time, the next one due first. */
export function scheduledMessages(
  { db, t: { messages } }: Connection,
  walletId: string,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<MessageRow[]> {
  return db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.walletId, walletId),
        eq(messages.status, 'scheduled'),
        after && gte(messages.sendAt, after.at),
        after && or(gt(messages.sendAt, after.at), gt(messages.id, after.id as Ticket)),
      ),
    )
    .orderBy(asc(messages.sendAt), asc(messages.id))
    .limit(limit)
}
