import { and, asc, desc, eq, gte, inArray, lt, max, sql } from 'drizzle-orm'
import { type EpochMs, epochMs, firstTicketAt, type Ticket } from '../kernel/ids.ts'
import type { Tx } from '../store/database.ts'
import type { Tables } from '../store/schema/schema.ts'
import type { CallbackRow } from './rows.ts'

export interface CallbackFilter {
  ticket: string | undefined
  state: CallbackRow['state'] | undefined
  since: EpochMs | undefined
}

/** A callback with its newest attempts, the time of the next one, and the number that its message went to. */
export interface LoggedCallback extends CallbackRow {
  recipient: string
  attempts: Tables['callbackAttempts']['$inferSelect'][]
  nextAttemptAt: number | undefined
}

/** A page of a wallet's callbacks, newest first. */
export async function listCallbacks(
  tx: Tx,
  walletId: string,
  { ticket, state, since }: CallbackFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<LoggedCallback[]> {
  const { db, t } = tx
  const { callbacks } = t
  const rows = await db
    .select()
    .from(callbacks)
    .where(
      and(
        eq(callbacks.walletId, walletId),
        ticket === undefined ? undefined : eq(callbacks.messageId, ticket as Ticket),
        state && eq(callbacks.state, state),
        since === undefined ? undefined : gte(callbacks.id, firstTicketAt(since)),
        after === undefined ? undefined : lt(callbacks.id, after),
      ),
    )
    .orderBy(desc(callbacks.id))
    .limit(limit)
  return withAttempts(tx, rows)
}

export async function findCallback(
  tx: Tx,
  walletId: string,
  id: string,
): Promise<LoggedCallback | undefined> {
  const { db, t } = tx
  const rows = await db
    .select()
    .from(t.callbacks)
    .where(and(eq(t.callbacks.id, id), eq(t.callbacks.walletId, walletId)))
  const [found] = await withAttempts(tx, rows)
  return found
}

async function withAttempts({ db, t }: Tx, rows: CallbackRow[]): Promise<LoggedCallback[]> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const attempts = await db
    .select()
    .from(t.callbackAttempts)
    .where(inArray(t.callbackAttempts.callbackId, ids))
    .orderBy(asc(t.callbackAttempts.callbackId), asc(t.callbackAttempts.seq))
  const jobs = await db.select().from(t.outbox).where(inArray(t.outbox.id, ids))
  const tickets = rows.map(({ messageId }) => messageId)
  const { id, recipient } = t.messages
  const messages = await db.select({ id, recipient }).from(t.messages).where(inArray(id, tickets))
  const byCallback = Map.groupBy(attempts, ({ callbackId }) => callbackId)
  const due = new Map(jobs.map(({ id, runAt }) => [id, runAt]))
  const recipients = new Map(messages.map((message) => [message.id, message.recipient]))
  return rows.map((row) => ({
    ...row,
    recipient: recipients.get(row.messageId) ?? '',
    attempts: byCallback.get(row.id) ?? [],
    nextAttemptAt: due.get(row.id),
  }))
}

/** How the callback about a message is. */
export interface CallbackStanding {
  state: CallbackRow['state']
  /** How many attempts were recorded. */
  attempts: number
}

/** How the callbacks about some of a wallet's messages are. A message without a callback is left out. */
export async function callbackStates(
  { db, t }: Tx,
  walletId: string,
  tickets: readonly Ticket[],
): Promise<Map<Ticket, CallbackStanding>> {
  if (tickets.length === 0) return new Map()
  const { id, messageId, state } = t.callbacks
  const { callbackId, seq } = t.callbackAttempts
  const last = db
    .select({ last: max(seq) })
    .from(t.callbackAttempts)
    .where(eq(callbackId, id))
  const rows = await db
    .select({ messageId, state, attempts: sql<number | null>`(${last})` })
    .from(t.callbacks)
    .where(and(inArray(messageId, [...tickets]), eq(t.callbacks.walletId, walletId)))
  return new Map(
    rows.map(({ messageId, state, attempts }) => [messageId, { state, attempts: Number(attempts ?? 0) }]),
  )
}

/** How many of a wallet's callbacks since a time are in a state, counted up to a limit. */
export async function countInState(
  { run }: Tx,
  walletId: string,
  { state, since, most }: { state: CallbackRow['state']; since: EpochMs; most: number },
): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM
       (SELECT 1 FROM callbacks WHERE wallet_id = $1 AND state = $2 AND id >= $3 LIMIT $4) AS counted`,
    [walletId, state, firstTicketAt(since), most],
  )
  return row?.count ?? 0
}

/** How many of a wallet's callbacks were given up, counted up to a limit. */
export function countGivenUp(tx: Tx, walletId: string, most: number): Promise<number> {
  return countInState(tx, walletId, { state: 'dead', since: epochMs(0), most })
}

/** Pending callbacks that wait for a later attempt: neither due nor under way. */
const WAITING = `callbacks c JOIN outbox o ON o.id = c.id
  WHERE c.wallet_id = $1 AND c.state = 'pending' AND o.run_at > $2 AND o.lease_until <= $3`

/** How many of a wallet's callbacks since a time wait for a later attempt, counted up to a limit. */
export async function countWaiting(
  { run }: Tx,
  walletId: string,
  { since, now, most }: { since: EpochMs; now: EpochMs; most: number },
): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM ${WAITING} AND c.id >= $4 LIMIT $5) AS counted`,
    [walletId, now, now, firstTicketAt(since), most],
  )
  return row?.count ?? 0
}

/**
 * When the oldest of a wallet's callbacks was made that a replay would post: given up, or waiting for a later attempt, or
 * only those in one of these states.
 */
export async function oldestToReplay(
  { db, t, run }: Tx,
  walletId: string,
  now: EpochMs,
  state?: 'dead' | 'pending',
): Promise<EpochMs | undefined> {
  const { callbacks } = t
  const [dead] = await db
    .select({ createdAt: callbacks.createdAt })
    .from(callbacks)
    .where(and(eq(callbacks.walletId, walletId), eq(callbacks.state, 'dead')))
    .orderBy(asc(callbacks.id))
    .limit(1)
  if (state === 'dead') return dead?.createdAt
  const [waiting] = await run<{ createdAt: EpochMs }>(
    `SELECT c.created_at AS "createdAt" FROM ${WAITING} ORDER BY c.id LIMIT 1`,
    [walletId, now, now],
  )
  if (state === 'pending') return waiting?.createdAt
  if (!dead || !waiting) return (dead ?? waiting)?.createdAt
  return epochMs(Math.min(dead.createdAt, waiting.createdAt))
}

/** The next waiting callbacks of a wallet after an id, made since a time. */
export async function waitingIds(
  { run }: Tx,
  walletId: string,
  { since, after, limit, now }: { since: EpochMs; after: string; limit: number; now: EpochMs },
): Promise<string[]> {
  const rows = await run<{ id: string }>(
    `SELECT c.id FROM ${WAITING} AND c.id > $4 AND c.created_at >= $5 ORDER BY c.id LIMIT $6`,
    [walletId, now, now, after, since, limit],
  )
  return rows.map(({ id }) => id)
}

/** The next dead callbacks of a wallet after an id, made since a time. */
export async function deadIds(
  { run }: Tx,
  walletId: string,
  { since, after, limit }: { since: EpochMs; after: string; limit: number },
): Promise<string[]> {
  const rows = await run<{ id: string }>(
    `SELECT id FROM callbacks WHERE wallet_id = $1 AND state = 'dead' AND id > $2 AND created_at >= $3
     ORDER BY id LIMIT $4`,
    [walletId, after, since, limit],
  )
  return rows.map(({ id }) => id)
}

/** Callbacks of all wallets since a time, counted by state. */
export interface RecentCallbacks extends Record<CallbackRow['state'], number> {}

/** Counts the callbacks of all wallets since a time, up to a limit. */
export async function countRecent({ run }: Tx, since: EpochMs, most: number): Promise<RecentCallbacks> {
  const rows = await run<{ state: CallbackRow['state']; count: number }>(
    `SELECT state, count(*) AS count FROM (SELECT state FROM callbacks WHERE id >= $1 LIMIT $2) AS recent GROUP BY state`,
    [firstTicketAt(since), most],
  )
  const counts = { pending: 0, delivered: 0, dead: 0 }
  for (const { state, count } of rows) counts[state] = count
  return counts
}

/** The callbacks of all wallets that were given up, newest first, those before one of them. */
export async function deadCallbacks(
  tx: Tx,
  { before, limit }: { before: string | undefined; limit: number },
): Promise<LoggedCallback[]> {
  const { db, t, run } = tx
  // Ordered by what is no column: the few of the index are sorted, instead of all callbacks being walked through.
  const found = await run<{ id: string }>(
    `SELECT id FROM callbacks WHERE state = 'dead'${before === undefined ? '' : ' AND id < $1'}
     ORDER BY id || '' DESC LIMIT ${limit}`,
    before === undefined ? [] : [before],
  )
  const ids = found.map(({ id }) => id)
  if (ids.length === 0) return []
  return withAttempts(
    tx,
    await db.select().from(t.callbacks).where(inArray(t.callbacks.id, ids)).orderBy(desc(t.callbacks.id)),
  )
}

/** Counts the dead callbacks of all wallets, up to a limit, and the customers that they belong to. */
export async function sumDead({ run }: Tx, most: number): Promise<{ callbacks: number; accounts: number }> {
  const [row] = await run<{ callbacks: number; accounts: number }>(
    `SELECT count(*) AS callbacks, count(DISTINCT account_id) AS accounts FROM
       (SELECT account_id FROM callbacks WHERE state = 'dead' LIMIT $1) AS dead`,
    [most],
  )
  return row ?? { callbacks: 0, accounts: 0 }
}

/** How many callbacks of all wallets were given up and not posted again since, counted up to a limit. */
export async function countDead({ run }: Tx, most: number): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM (SELECT 1 FROM callbacks WHERE state = 'dead' LIMIT $1) AS dead`,
    [most],
  )
  return row?.count ?? 0
}
