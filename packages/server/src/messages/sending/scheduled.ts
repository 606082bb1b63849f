import { and, asc, eq, gt, gte, inArray, or } from 'drizzle-orm'
import type { Parts } from '../../flow/parts.ts'
import { Problem } from '../../kernel/errors.ts'
import type { EpochMs, Ticket } from '../../kernel/ids.ts'
import type { WalletPrincipal } from '../../kernel/principal.ts'
import { SECOND_MS } from '../../kernel/time/spans.ts'
import { decode, type Page, type PageRequest, type Position, pageOf } from '../../net/server/paging.ts'
import { auditWrites, isAudited } from '../../store/audit/index.ts'
import type { Database, Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import { deleteSlice } from '../../store/slices.ts'
import type { Queries } from '../history/index.ts'
import { type EndMessages, type MessageRow, shownTo } from '../index.ts'
import type { PreparedSend } from './prepare.ts'

/** A page of the caller's scheduled messages, earliest first. */
export async function listScheduled(
  database: Database,
  principal: WalletPrincipal,
  { cursor, limit }: PageRequest,
): Promise<Page<MessageRow>> {
  const page = { after: decode(cursor), limit: limit + 1 }
  const rows = await database.read((tx) => scheduledMessages(tx, principal.wallet.id, page))
  const shown = rows.map((row) => shownTo(principal, row))
  return pageOf(shown, limit, ({ sendAt, id }) => ({ at: sendAt, id }))
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

/** Parts of a cancellation. */
export interface Cancelling extends Pick<Parts, 'database' | 'clock' | 'newId'> {
  queries: Queries
  endMessages: EndMessages
}

/** Longer than a batch waits: a caller is waiting for the answer. */
export const LOCK_WAIT_MS = 3 * SECOND_MS

/**
 * Cancels a scheduled message and releases its hold. Cancelling it again changes nothing. An assistant's connection
 * cancels only what it scheduled itself.
 */
export async function cancelScheduled(
  parts: Cancelling,
  principal: WalletPrincipal,
  ticket: string,
): Promise<MessageRow> {
  const { queries, endMessages } = parts
  const before = await queries.walletMessage(principal, ticket)
  if (before.status === 'scheduled') {
    await requireOwn(parts, principal, before.id)
    await endMessages([{ ticket: before.id, status: 'cancelled', carrierRef: '', submittedAt: 0 }], {
      lockWaitMs: LOCK_WAIT_MS,
    })
  }
  const after = await queries.walletMessage(principal, ticket)
  const isCancelled = after.status === 'cancelled'
  await audit(parts, principal, after.id, isCancelled ? 'done' : 'not_cancellable')
  if (isCancelled) return after
  throw new Problem(
    'not_cancellable',
    `The message is ${after.status}: ${before.sendAt === 0 ? 'it was never scheduled' : 'its time has come'}. Only scheduled messages can be cancelled.`,
  )
}

async function requireOwn(parts: Cancelling, principal: WalletPrincipal, ticket: string): Promise<void> {
  const { connection } = principal
  if (!connection) return
  try {
    await parts.database.read((tx) => requireScheduler(tx, connection.id, ticket))
  } catch (error) {
    if (error instanceof Problem) await audit(parts, principal, ticket, error.code)
    throw error
  }
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

async function audit(
  { database, clock, newId }: Cancelling,
  principal: WalletPrincipal,
  ticket: string,
  outcome: string,
): Promise<void> {
  if (!isAudited(principal)) return
  const write = { principal, operation: 'cancelScheduledSms', ticket, outcome } as const
  await database.write((tx) => auditWrites(tx, [write], clock.now(), newId))
}
