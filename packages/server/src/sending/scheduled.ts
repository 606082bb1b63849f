import { toDecimal } from '@wigwag/contract'
import { and, asc, eq, gt, gte, inArray, or } from 'drizzle-orm'
import { auditWrites, isAudited } from '../audit/index.ts'
import type { EndMessages } from '../delivery/index.ts'
import { Problem } from '../domain/errors.ts'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { Queries } from '../history/index.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import { deleteSlice } from '../platform/database/slices.ts'
import type { Handler } from '../platform/http/handler.ts'
import {
  decode,
  instant,
  nextCursor,
  type Page,
  type PageRequest,
  type Position,
  pageOf,
  pageRequest,
} from '../platform/http/paging.ts'
import { type WalletPrincipal, walletOf } from '../platform/http/principal.ts'
import type { PreparedSend } from './prepare.ts'

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

/** Stores which connections scheduled the messages of accepted sends. Others cost nothing. */
export async function noteSchedulers(tx: Tx, sends: readonly PreparedSend[]): Promise<void> {
  const rows = sends.flatMap(({ command, messages }) => {
    const { connection } = command.principal
    if (!connection) return []
    const waiting = messages.filter(({ status }) => status === 'scheduled')
    return waiting.map(({ id, sendAt }) => ({ messageId: id, connectionId: connection.id, sendAt }))
  })
  await insertRows(tx, tx.t.schedulers, rows)
}

/** Throws unless the connection scheduled the message. */
async function requireScheduler({ run }: Tx, connectionId: string, ticket: string): Promise<void> {
  const [row] = await run('SELECT 1 AS one FROM schedulers WHERE message_id = $1 AND connection_id = $2', [
    ticket,
    connectionId,
  ])
  if (row) return
  throw new Problem(
    'scheduled_elsewhere',
    `This connection did not schedule ${ticket}, and it can cancel only what it scheduled itself. Ask the person to cancel it on the page Scheduled.`,
  )
}

/** Deletes a slice of the rows of messages that no longer wait. Returns whether there may be more. */
export function pruneSchedulers(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'schedulers',
    key: 'message_id',
    where: `send_at < $1 AND NOT EXISTS (
      SELECT 1 FROM messages WHERE messages.id = schedulers.message_id AND messages.status = 'scheduled')`,
    values: [now],
    orderBy: 'send_at',
  })
}

/** Deletes the rows of connections that are deleted. */
export async function forgetSchedulers({ db, t }: Tx, connectionIds: readonly string[]): Promise<void> {
  await db.delete(t.schedulers).where(inArray(t.schedulers.connectionId, [...connectionIds]))
}

export interface CancelOptions {
  queries: Queries
  endMessages: EndMessages
  database: Database
  clock: Clock
  newId(now: EpochMs): string
}

/** Longer than a batch waits: a caller is waiting for the answer. */
const LOCK_WAIT_MS = 3_000

/**
 * Cancels a scheduled message and releases its hold. Cancelling it again changes nothing. An assistant's connection
 * cancels only what it scheduled itself.
 */
export function createCancel({ queries, endMessages, database, clock, newId }: CancelOptions) {
  async function audit(principal: WalletPrincipal, ticket: string, outcome: string): Promise<void> {
    if (!isAudited(principal)) return
    const write = { principal, operation: 'cancelScheduledSms', ticket, outcome }
    await database.write((tx) => auditWrites(tx, [write], clock.now(), newId))
  }

  async function requireOwn(principal: WalletPrincipal, ticket: string): Promise<void> {
    const { connection } = principal
    if (!connection) return
    try {
      await database.read((tx) => requireScheduler(tx, connection.id, ticket))
    } catch (error) {
      if (error instanceof Problem) await audit(principal, ticket, error.code)
      throw error
    }
  }

  return async function cancel(principal: WalletPrincipal, ticket: string): Promise<MessageRow> {
    const before = await queries.walletMessage(principal, ticket)
    if (before.status === 'scheduled') {
      await requireOwn(principal, before.id)
      await endMessages([{ ticket: before.id, status: 'cancelled', carrierRef: '', submittedAt: 0 }], {
        lockWaitMs: LOCK_WAIT_MS,
      })
    }
    const after = await queries.walletMessage(principal, ticket)
    const isCancelled = after.status === 'cancelled'
    await audit(principal, after.id, isCancelled ? 'done' : 'not_cancellable')
    if (isCancelled) return after
    throw new Problem(
      'not_cancellable',
      `The message is ${after.status}: ${before.sendAt === 0 ? 'it was never scheduled' : 'its time has come'}. Only scheduled messages can be cancelled.`,
    )
  }
}
