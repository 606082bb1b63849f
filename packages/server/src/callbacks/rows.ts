import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Tx } from '../platform/database/database.ts'
import { inChunks, insertRows, placeholders } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import { type NewJob, UNCLAIMED } from '../platform/jobs/outbox.ts'

export type CallbackRow = Tables['callbacks']['$inferSelect']
type AttemptRow = Tables['callbackAttempts']['$inferSelect']

export function insertCallbacks(tx: Tx, rows: readonly CallbackRow[]): Promise<void> {
  return insertRows(tx, tx.t.callbacks, rows)
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
      `SELECT c.id, c.url, c.account_id AS "accountId", c.wallet_id AS "walletId", c.created_at AS "createdAt",
         m.id AS ticket, m.reference, m.recipient, m.cost, m.balance_before AS "balanceBefore", m.balance_after AS "balanceAfter", m.status
       FROM callbacks c JOIN messages m ON m.id = c.message_id WHERE c.id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const row of rows) found.set(row.id, row)
  })
  return found
}

type NewAttempt = Omit<AttemptRow, 'seq'>

/**
 * Records attempts, each under the next sequence number of its callback. After a lease has lapsed, another process may
 * record one of the same callback at the same time: the one that comes second takes the number after it.
 */
export async function insertAttempts(tx: Tx, attempts: readonly NewAttempt[]): Promise<void> {
  for (let left = attempts; left.length > 0; ) {
    const late: NewAttempt[] = []
    await inChunks(left, async (chunk) => {
      late.push(...(await insertUnlessTaken(tx, chunk)))
    })
    left = late
  }
}

/** Returns the attempts whose number another one has taken. */
async function insertUnlessTaken(
  { run }: Tx,
  attempts: readonly NewAttempt[],
): Promise<readonly NewAttempt[]> {
  const values = attempts.flatMap((attempt) => [
    attempt.callbackId,
    attempt.startedAt,
    attempt.latencyMs,
    attempt.httpStatus,
    attempt.errorClass,
    attempt.reply,
  ])
  const inserted = await run<{ id: string }>(
    `INSERT INTO callback_attempts
       (callback_id, seq, started_at, latency_ms, http_status, error_class, reply)
     SELECT v.column1,
       (SELECT coalesce(max(a.seq), 0) + 1 FROM callback_attempts a WHERE a.callback_id = v.column1),
       v.column2, v.column3, v.column4, v.column5, v.column6
     FROM (VALUES ${placeholders(attempts.length, 6, ATTEMPT)}) AS v WHERE true
     ON CONFLICT DO NOTHING RETURNING callback_id AS id`,
    values,
  )
  const ids = new Set(inserted.map(({ id }) => id))
  return attempts.filter(({ callbackId }) => !ids.delete(callbackId))
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

/** The job that posts a callback. It has no expiry: the retry plan ends it. */
export function callbackJob(id: string, runAt: EpochMs): NewJob {
  return { id, kind: 'callback', lane: '', runAt, ...UNCLAIMED, expiresAt: 0 }
}
