import { firstLease, type NewJob, removeJobs } from '../flow/jobs/outbox.ts'
import { type EpochMs, firstTicketAt, type Ticket } from '../kernel/ids.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Tx } from '../store/database.ts'
import { inChunks, insertRows, placeholders } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
import { SLICE, SLICE_OF_INDEXED } from '../store/slices.ts'

export type CallbackRow = Tables['callbacks']['$inferSelect']
type AttemptRow = Tables['callbackAttempts']['$inferSelect']

const NEW = ['id', 'accountId', 'walletId', 'messageId', 'url', 'state', 'createdAt'] as const

export type NewCallback = Pick<CallbackRow, (typeof NEW)[number]>

export function insertCallbacks(tx: Tx, rows: readonly NewCallback[]): Promise<void> {
  return insertRows(tx, tx.t.callbacks, rows, NEW)
}

/** A callback to post, with the final message that it reports. */
export interface DueCallback
  extends Pick<
    MessageRow,
    'reference' | 'recipient' | 'cost' | 'balanceBefore' | 'balanceAfter' | 'status' | 'accountId'
  > {
  id: string
  ticket: Ticket
  walletId: string
  url: string
  createdAt: EpochMs
}

export async function dueCallbacks({ run }: Tx, ids: readonly string[]): Promise<Map<string, DueCallback>> {
  const found = new Map<string, DueCallback>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<DueCallback>(
      `SELECT c.id, c.url, c.account_id AS "accountId", c.wallet_id AS "walletId",
         c.created_at AS "createdAt", m.id AS ticket, m.reference, m.recipient, m.cost,
         m.balance_before AS "balanceBefore", m.balance_after AS "balanceAfter", m.status
       FROM callbacks c JOIN messages m ON m.id = c.message_id WHERE c.id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const row of rows) found.set(row.id, row)
  })
  return found
}

type NewAttempt = Omit<AttemptRow, 'seq'>

/** The columns that decide whether a callback may be replayed. */
export type Replayable = Pick<CallbackRow, 'id' | 'accountId' | 'state' | 'replayDay' | 'replays'>

/**
 * Locks callbacks until the transaction ends, and returns those that are still there, by id. Whatever changes callbacks,
 * their attempts and their jobs locks the callbacks first. In the order of their ids over all statements: a replay and
 * the results of attempts would otherwise deadlock.
 */
export async function lockCallbacks(
  { run, locks }: Tx,
  ids: readonly string[],
): Promise<Map<string, Replayable>> {
  const found = new Map<string, Replayable>()
  await inChunks(ids.toSorted(), async (chunk) => {
    const rows = await run<Replayable>(
      `SELECT id, account_id AS "accountId", state, replay_day AS "replayDay", replays FROM callbacks
       WHERE id IN ${placeholders(1, chunk.length)} ORDER BY id ${locks.forUpdate}`,
      chunk,
    )
    for (const row of rows) found.set(row.id, row)
  })
  return found
}

/** Of each callback the newest attempts are kept. */
const KEPT_ATTEMPTS = 20

/** Records attempts of locked callbacks, each under the next sequence number of its callback, and drops old ones. */
export async function insertAttempts({ run }: Tx, attempts: readonly NewAttempt[]): Promise<void> {
  await inChunks(attempts, async (chunk) => {
    const values = chunk.flatMap((attempt) => [
      attempt.callbackId,
      attempt.startedAt,
      attempt.latencyMs,
      attempt.httpStatus,
      attempt.errorClass,
      attempt.reply,
    ])
    const inserted = await run<{ id: string; seq: number }>(
      `INSERT INTO callback_attempts
         (callback_id, seq, started_at, latency_ms, http_status, error_class, reply)
       SELECT v.column1,
         (SELECT coalesce(max(a.seq), 0) FROM callback_attempts a WHERE a.callback_id = v.column1)
           + row_number() OVER (PARTITION BY v.column1 ORDER BY v.column2),
         v.column2, v.column3, v.column4, v.column5, v.column6
       FROM (VALUES ${placeholders(chunk.length, 6, ATTEMPT)}) AS v
       RETURNING callback_id AS id, seq`,
      values,
    )
    for (const { id, seq } of inserted) {
      if (seq <= KEPT_ATTEMPTS) continue
      await run('DELETE FROM callback_attempts WHERE callback_id = $1 AND seq <= $2', [
        id,
        seq - KEPT_ATTEMPTS,
      ])
    }
  })
}

const ATTEMPT = ['TEXT', 'BIGINT', 'BIGINT', 'BIGINT', 'TEXT', 'TEXT'] as const

export async function setCallbackState(
  { run }: Tx,
  state: CallbackRow['state'],
  ids: readonly string[],
): Promise<void> {
  await inChunks(ids, async (chunk) => {
    await run(`UPDATE callbacks SET state = $1 WHERE id IN ${placeholders(1, chunk.length, undefined, 1)}`, [
      state,
      ...chunk,
    ])
  })
}

/** Where jobs of callbacks are claimed. */
export const LANE = { kind: 'callback', lane: '' } as const

/**
 * The job that posts a callback. It has no expiry: the retry plan ends it. With a lease, it is stored as already claimed
 * by this process.
 */
export function callbackJob(
  { id, accountId }: Pick<CallbackRow, 'id' | 'accountId'>,
  runAt: EpochMs,
  leaseMs?: number,
): NewJob {
  return { id, ...LANE, owner: accountId, runAt, ...firstLease(runAt, leaseMs), expiresAt: 0 }
}

/**
 * Deletes a slice of a wallet's callbacks after an id, with their attempts and jobs. Returns the last id; undefined when
 * there are no more. Without the id, each slice would look through all rows that the slices before it deleted.
 */
export async function forgetCallbacks(
  tx: Tx,
  walletId: string,
  after: string,
  slice = SLICE,
): Promise<string | undefined> {
  const { run, locks } = tx
  const rows = await run<{ id: string }>(
    `SELECT id FROM callbacks WHERE wallet_id = $1 AND id > $2 ORDER BY id LIMIT ${slice} ${locks.forUpdate}`,
    [walletId, after],
  )
  const ids = rows.map(({ id }) => id)
  await deleteCallbacks(tx, ids)
  return ids.at(-1)
}

/**
 * Deletes a slice of the callbacks made before a time that were delivered or given up, after an id. Returns the last id;
 * undefined when there are no more.
 */
export async function forgetOldCallbacks(
  tx: Tx,
  before: EpochMs,
  after: string,
): Promise<string | undefined> {
  const rows = await tx.run<{ id: string }>(
    `SELECT id FROM callbacks WHERE id > $1 AND id < $2 AND state <> 'pending'
     ORDER BY id LIMIT ${SLICE_OF_INDEXED} ${tx.locks.skipLocked}`,
    [after, firstTicketAt(before)],
  )
  const ids = rows.map(({ id }) => id)
  await deleteCallbacks(tx, ids)
  return ids.at(-1)
}

/** Deletes the callbacks about some messages, of which they could no longer tell. Returns how many there were. */
export async function forgetCallbacksAbout(tx: Tx, tickets: readonly string[]): Promise<number> {
  const { run, locks } = tx
  let deleted = 0
  await inChunks(tickets, async (chunk) => {
    const rows = await run<{ id: string }>(
      `SELECT id FROM callbacks WHERE message_id IN ${placeholders(1, chunk.length)} ${locks.forUpdate}`,
      chunk,
    )
    await deleteCallbacks(
      tx,
      rows.map(({ id }) => id),
    )
    deleted += rows.length
  })
  return deleted
}

async function deleteCallbacks(tx: Tx, ids: readonly string[]): Promise<void> {
  await removeJobs(tx, ids)
  await inChunks(ids, async (chunk) => {
    await tx.run(`DELETE FROM callback_attempts WHERE callback_id IN ${placeholders(1, chunk.length)}`, chunk)
    await tx.run(`DELETE FROM callbacks WHERE id IN ${placeholders(1, chunk.length)}`, chunk)
  })
}
