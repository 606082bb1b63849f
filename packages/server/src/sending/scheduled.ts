import { toDecimal } from '@wigwag/contract'
import { and, asc, eq, gt, gte, or } from 'drizzle-orm'
import type { Ticket } from '../domain/ids.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Handler } from '../platform/http/handler.ts'
import { walletOf } from '../platform/http/principal.ts'
import { decode, instant, nextCursor, type Position, pageOf, pageRequest } from '../platform/http/wire.ts'

export function listScheduledSms(database: Database): Handler<'listScheduledSms'> {
  return async ({ principal, query }) => {
    const { cursor, limit } = pageRequest(query)
    const walletId = walletOf(principal).wallet.id
    const page = { after: decode(cursor), limit: limit + 1 }
    const rows = await database.read((tx) => scheduledMessages(tx, walletId, page))
    const { items, next } = pageOf(rows, limit, ({ sendAt, id }) => ({ at: sendAt, id }))
    const listed = items.map((message) => ({
      Ticket: message.id,
      Status: message.status,
      SendAt: instant(message.sendAt),
      From: message.sender,
      To: message.recipient,
      Content: message.content,
      Reference: message.reference,
      HeldCost: toDecimal(message.price),
      DateCreated: instant(message.createdAt),
    }))
    return { body: { Items: listed, ...nextCursor(next) } }
  }
}

/** A page of a wallet's scheduled messages, earliest first. */
export function scheduledMessages(
  { db, t: { messages } }: Tx,
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
