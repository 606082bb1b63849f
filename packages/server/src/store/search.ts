import { and, asc, desc, eq, gt, gte, isNull, lt, lte, or, type SQL } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import { FINAL_STATUSES, isFinal, type Status } from '../domain/message.ts'
import type { Connection } from './database.ts'
import type { MessageRow } from './messages.ts'
import { recipientKey, senderKey } from './search-keys.ts'

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
 * results, so that a page costs the same among a thousand messages and among a million. Only messages that are not
 * final yet are looked through.
 */
export async function searchMessages(
  connection: Connection,
  scope: SearchScope,
  filter: MessageFilter,
  page: { after: Position | undefined; limit: number },
): Promise<MessageRow[]> {
  // In the order of a message's life: one that becomes final meanwhile is found at least once, and the later look is
  // the truth.
  const found = new Map<Ticket, MessageRow>()
  for (const look of looksFor(connection, scope, filter)) {
    for (const row of await matching(connection, look, page)) found.set(row.id, row)
  }
  return [...found.values()].sort(newestFirst).slice(0, page.limit)
}

/** A part of one index, and what of it matches. */
interface Look {
  part: SQL | undefined
  filter: MessageFilter
}

function looksFor(
  { t: { messages } }: Connection,
  { walletId, senders }: SearchScope,
  filter: MessageFilter,
): Look[] {
  const { recipient, sender, status } = filter
  const inWallet = eq(messages.walletId, walletId)
  if (recipient === undefined && sender === undefined && status === undefined)
    return [{ part: inWallet, filter }]
  const open = { part: and(inWallet, isNull(messages.senderKey)), filter }
  if (status !== undefined && !isFinal(status)) return [open]
  // Two wallets may share a key, so the wallet is compared as well.
  const final: Look[] = []
  if (recipient !== undefined) {
    const part = and(eq(messages.recipientKey, recipientKey(walletId, recipient)), inWallet)
    final.push({ part, filter })
  } else {
    // One index serves sender, status and both: whichever is not given is looked up value by value.
    for (const each of sender === undefined ? senders : [sender]) {
      for (const ending of status === undefined ? FINAL_STATUSES : [status]) {
        const part = and(eq(messages.senderKey, senderKey(walletId, each, ending)), inWallet)
        final.push({ part, filter: { ...filter, sender: each, status: ending } })
      }
    }
  }
  return status === undefined ? [open, ...final] : final
}

async function matching(
  { db, t: { messages } }: Connection,
  { part, filter: { createdFrom, createdBefore, status, recipient, sender } }: Look,
  { after, limit }: { after: Position | undefined; limit: number },
): Promise<MessageRow[]> {
  return db
    .select()
    .from(messages)
    .where(
      and(
        part,
        status && eq(messages.status, status),
        recipient === undefined ? undefined : eq(messages.recipient, recipient),
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
