import { toDecimal } from '@wigwag/contract'
import { and, asc, eq, gt, gte, or } from 'drizzle-orm'
import type { Ticket } from '../domain/ids.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Handler } from '../platform/http/handler.ts'
import { type WalletPrincipal, walletOf } from '../platform/http/principal.ts'
import {
  decode,
  instant,
  nextCursor,
  type Page,
  type PageRequest,
  type Position,
  pageOf,
  pageRequest,
} from '../platform/http/wire.ts'

/** A page of the caller's scheduled messages, earliest first. */
export function createScheduled(database: Database) {
  return async function scheduled(
    { wallet }: WalletPrincipal,
    { cursor, limit }: PageRequest,
  ): Promise<Page<MessageRow>> {
    const page = { after: decode(cursor), limit: limit + 1 }
    const rows = await database.read((tx) => scheduledMessages(tx, wallet.id, page))
    return pageOf(rows, limit, ({ sendAt, id }) => ({ at: sendAt, id }))
  }
}

export function listScheduledSms(scheduled: ReturnType<typeof createScheduled>): Handler<'listScheduledSms'> {
  return async ({ principal, query }) => {
    const { items, next } = await scheduled(walletOf(principal), pageRequest(query))
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

/** How many of a wallet's messages are scheduled, counted up to a limit. */
export async function countScheduled({ run }: Tx, walletId: string, most: number): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM
       (SELECT 1 FROM messages WHERE wallet_id = $1 AND status = 'scheduled' LIMIT $2) AS counted`,
    [walletId, most],
  )
  return row?.count ?? 0
}
