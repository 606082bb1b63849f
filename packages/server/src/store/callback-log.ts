import { and, asc, desc, eq, inArray, lt } from 'drizzle-orm'
import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { CallbackRow } from './callbacks.ts'
import type { Connection } from './database.ts'
import { callbackJob, enqueue } from './outbox.ts'
import type { Tables } from './schema.ts'

export interface CallbackFilter {
  ticket: string | undefined
  state: CallbackRow['state'] | undefined
}

/** A callback with its attempts, and when the next one is. */
export interface LoggedCallback extends CallbackRow {
  attempts: Tables['callbackAttempts']['$inferSelect'][]
  nextAttemptAt: number | undefined
}

/** A page of a wallet's callbacks, newest first. */
export async function listCallbacks(
  connection: Connection,
  walletId: string,
  { ticket, state }: CallbackFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<LoggedCallback[]> {
  const { db, t } = connection
  const { callbacks } = t
  const rows = await db
    .select()
    .from(callbacks)
    .where(
      and(
        eq(callbacks.walletId, walletId),
        ticket === undefined ? undefined : eq(callbacks.messageId, ticket as Ticket),
        state && eq(callbacks.state, state),
        after === undefined ? undefined : lt(callbacks.id, after),
      ),
    )
    .orderBy(desc(callbacks.id))
    .limit(limit)
  return withAttempts(connection, rows)
}

export async function findCallback(
  connection: Connection,
  walletId: string,
  id: string,
): Promise<LoggedCallback | undefined> {
  const { db, t } = connection
  const rows = await db
    .select()
    .from(t.callbacks)
    .where(and(eq(t.callbacks.id, id), eq(t.callbacks.walletId, walletId)))
  const [found] = await withAttempts(connection, rows)
  return found
}

async function withAttempts({ db, t }: Connection, rows: CallbackRow[]): Promise<LoggedCallback[]> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return []
  const attempts = await db
    .select()
    .from(t.callbackAttempts)
    .where(inArray(t.callbackAttempts.callbackId, ids))
    .orderBy(asc(t.callbackAttempts.callbackId), asc(t.callbackAttempts.seq))
  const jobs = await db.select().from(t.outbox).where(inArray(t.outbox.id, ids))
  const byCallback = Map.groupBy(attempts, ({ callbackId }) => callbackId)
  const due = new Map(jobs.map(({ id, runAt }) => [id, runAt]))
  return rows.map((row) => ({
    ...row,
    attempts: byCallback.get(row.id) ?? [],
    nextAttemptAt: due.get(row.id),
  }))
}

/**
 * Queues a callback to be posted again at once, with a fresh plan of attempts. The same id and bytes go out. An
 * attempt that is under way loses its claim, so what it comes to takes nothing back.
 */
export async function requeueCallback({ run }: Connection, id: string, now: EpochMs): Promise<void> {
  await run("UPDATE callbacks SET state = 'pending' WHERE id = $1", [id])
  await run(
    `INSERT INTO outbox (id, kind, run_at) VALUES ($1, 'callback', $2)
     ON CONFLICT (id) DO UPDATE SET run_at = excluded.run_at, attempts = 0, faults = 0, lease_until = 0,
       epoch = outbox.epoch + 1`,
    [id, now],
  )
}

/**
 * Queues the next of a wallet's callbacks that were given up on since a time, up to a limit, and says which. What
 * the update changed is what is queued: one that is given up on in between is left for the next time.
 */
export async function requeueDead(
  connection: Connection,
  walletId: string,
  { since, after, limit, now }: { since: EpochMs; after: string; limit: number; now: EpochMs },
): Promise<string[]> {
  const rows = await connection.run<{ id: string }>(
    `UPDATE callbacks SET state = 'pending' WHERE state = 'dead' AND id IN (
       SELECT id FROM callbacks WHERE wallet_id = $1 AND state = 'dead' AND id > $2 AND created_at >= $3
       ORDER BY id LIMIT $4)
     RETURNING id`,
    [walletId, after, since, limit],
  )
  const ids = rows.map(({ id }) => id).sort()
  await enqueue(
    connection,
    ids.map((id) => callbackJob(id, now)),
  )
  return ids
}
