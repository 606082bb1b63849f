import { and, asc, desc, eq, gt, gte, lt, lte, or, sql } from 'drizzle-orm'
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

/** Whose messages are searched. */
export interface SearchScope {
  walletId: string
  /** Every sender ID that the account ever had. */
  senders: readonly string[]
}

/**
 * A page of a wallet's messages, newest first. Each shape of filter has an index that ends in the order of the
 * results, so that a page costs the same among a thousand messages and among a million.
 */
export async function searchMessages(
  connection: Connection,
  { walletId, senders }: SearchScope,
  filter: MessageFilter,
  page: { after: Position | undefined; limit: number },
): Promise<MessageRow[]> {
  const { recipient, sender, status } = filter
  if (recipient !== undefined || (sender === undefined && status === undefined)) {
    return matching(connection, walletId, filter, page)
  }
  // One index serves sender, status and both: whichever is not given is looked up value by value, and merged. In the
  // order of a message's life, the looks find one that moves on meanwhile at least once; the later look is the truth.
  const found = new Map<Ticket, MessageRow>()
  for (const eachSender of sender === undefined ? senders : [sender]) {
    for (const eachStatus of status === undefined ? STATUSES : [status]) {
      const narrowed = { ...filter, sender: eachSender, status: eachStatus }
      for (const row of await matching(connection, walletId, narrowed, page)) found.set(row.id, row)
    }
  }
  return [...found.values()].sort(newestFirst).slice(0, page.limit)
}

async function matching(
  { db, t: { messages } }: Connection,
  walletId: string,
  { createdFrom, createdBefore, status, recipient, sender }: MessageFilter,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<MessageRow[]> {
  return db
    .select()
    .from(messages)
    .where(
      and(
        recipient === undefined
          ? eq(messages.walletId, walletId)
          : isRecipient(messages, walletId, recipient),
        status && eq(messages.status, status),
        sender === undefined ? undefined : eq(messages.sender, sender),
        createdFrom === undefined ? undefined : gte(messages.createdAt, createdFrom),
        createdBefore === undefined ? undefined : lt(messages.createdAt, createdBefore),
        after && lte(messages.createdAt, after.at as EpochMs),
        after && or(lt(messages.createdAt, after.at as EpochMs), lt(messages.id, after.id as Ticket)),
      ),
    )
    .orderBy(desc(messages.createdAt), desc(messages.id))
    .limit(limit)
}

/**
 * Two recipients may share a key, so wallet and recipient are compared as well, joined as they are in the key: the
 * wallet by itself would let the engine pick the wallet's index.
 */
function isRecipient(messages: Connection['t']['messages'], walletId: string, recipient: string) {
  return and(
    eq(messages.recipientKey, recipientKey(walletId, recipient)),
    sql`${messages.walletId} || ${messages.recipient} = ${walletId + recipient}`,
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
