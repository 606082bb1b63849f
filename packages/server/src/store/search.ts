import { and, asc, desc, eq, gt, gte, lt, lte, or } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { STATUSES, type Status } from '../domain/message.ts'
import type { Connection } from './database.ts'
import type { MessageRow } from './messages.ts'
import { recipientKey } from './recipient-key.ts'

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

/**
 * A page of a wallet's messages, newest first. Each shape of filter has an index that ends in the order of the
 * results, so that a page costs the same among a thousand messages and among a million.
 */
export async function searchMessages(
  connection: Connection,
  walletId: string,
  filter: MessageFilter,
  page: { after: Position | undefined; limit: number },
): Promise<MessageRow[]> {
  if (filter.recipient === undefined && filter.sender !== undefined && filter.status === undefined) {
    // The index by sender goes on with the status: one look at each status, merged, needs no index of its own.
    const runs: MessageRow[][] = []
    for (const status of STATUSES)
      runs.push(await matching(connection, walletId, { ...filter, status }, page))
    return runs.flat().sort(newestFirst).slice(0, page.limit)
  }
  return matching(connection, walletId, filter, page)
}

async function matching(
  { db, t: { messages } }: Connection,
  walletId: string,
  { createdFrom, createdBefore, status, recipient, sender }: MessageFilter,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<MessageRow[]> {
  const rows = await db
    .select()
    .from(messages)
    .where(
      and(
        // A recipient's key stands for the wallet too, and naming both would let the engine pick the wallet's index.
        recipient === undefined
          ? eq(messages.walletId, walletId)
          : eq(messages.recipientKey, recipientKey(walletId, recipient)),
        status && eq(messages.status, status),
        sender === undefined ? undefined : eq(messages.sender, sender),
        createdFrom && gte(messages.createdAt, createdFrom),
        createdBefore === undefined ? undefined : lt(messages.createdAt, createdBefore),
        after && lte(messages.createdAt, after.at as EpochMs),
        after && or(lt(messages.createdAt, after.at as EpochMs), lt(messages.id, after.id as Ticket)),
      ),
    )
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(limit)
  return rows.filter(
    (row) => row.walletId === walletId && (recipient === undefined || row.recipient === recipient),
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
