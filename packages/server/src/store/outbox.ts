import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'
import type { MessageRow } from './messages.ts'
import { bySize, inChunks, insertRows, placeholders } from './rows.ts'
import type { JobKind, Tables } from './schema.ts'

export type { JobKind } from './schema.ts'

type Row = Tables['outbox']['$inferSelect']

const NEW = ['id', 'kind', 'runAt', 'expiresAt'] as const satisfies readonly (keyof Row)[]

/** A job as it is put into the outbox. */
export type NewJob = Pick<Row, (typeof NEW)[number]>

/** A job that this process holds until its lease ends. */
export interface Job {
  id: string
  /** Counts the claims; only the holder of the latest may settle the job. */
  epoch: number
  attempts: number
  /** The claim before was never settled, so nobody knows how far it got. */
  lapsed: boolean
  carrierRef: string | undefined
  submittedAt: number
  expiresAt: number
}

/** A message goes to the carrier at once, or waits in the same outbox for its time. */
export function firstJob(
  { id, status, sendAt, createdAt }: Pick<MessageRow, 'id' | 'status' | 'sendAt' | 'createdAt'>,
  validityMs: number,
): NewJob {
  const scheduled = status === 'scheduled'
  const runAt = scheduled ? sendAt : createdAt
  return { id, kind: scheduled ? 'scheduled' : 'dispatch', runAt, expiresAt: runAt + validityMs }
}

/** A callback is tried by its own plan, which ends by itself. */
export function callbackJob(id: string, runAt: EpochMs): NewJob {
  return { id, kind: 'callback', runAt, expiresAt: 0 }
}

/** Puts jobs into the outbox, to run at their time. */
export function enqueue(connection: Connection, jobs: readonly NewJob[]): Promise<void> {
  return insertRows(connection, connection.t.outbox, jobs, NEW)
}

/**
 * When the next job of a kind is due; undefined when there is none. Jobs under a lease are somebody's already: should
 * their holder have died, whoever looks after the lease has ended finds them due.
 */
export async function nextDue({ run }: Connection, kind: JobKind, now: EpochMs): Promise<number | undefined> {
  const [row] = await run<{ due: number }>(
    'SELECT run_at AS due FROM outbox WHERE kind = $1 AND lease_until <= $2 ORDER BY run_at LIMIT 1',
    [kind, now],
  )
  return row?.due
}

/**
 * Claims due jobs, oldest first. Several processes may claim at once: none gets what another has. The selection is
 * materialized, because PostgreSQL may run a plain subquery once per row, each time locking others, past any limit.
 */
export async function claim(
  { run, locks }: Connection,
  kind: JobKind,
  { now, leaseMs, limit }: { now: EpochMs; leaseMs: number; limit: number },
): Promise<Job[]> {
  const rows = await run<Pick<Row, 'id' | 'epoch' | 'attempts' | 'lapsed'> & Snake>(
    `WITH due AS MATERIALIZED (
       SELECT id FROM outbox WHERE kind = $1 AND run_at <= $2 AND lease_until <= $3
       ORDER BY run_at LIMIT $4 ${locks.skipLocked})
     UPDATE outbox SET lapsed = CASE WHEN lease_until > 0 THEN 1 ELSE lapsed END,
       lease_until = $5, epoch = epoch + 1
     WHERE id IN (SELECT id FROM due)
     RETURNING id, epoch, attempts, lapsed, carrier_ref, submitted_at, expires_at`,
    [kind, now, now, limit, now + leaseMs],
  )
  return rows.map((row) => ({
    id: row.id,
    epoch: row.epoch,
    attempts: row.attempts,
    lapsed: row.lapsed === 1,
    carrierRef: row.carrier_ref ?? undefined,
    submittedAt: row.submitted_at,
    expiresAt: row.expires_at,
  }))
}

interface Snake {
  carrier_ref: string | null
  submitted_at: number
  expires_at: number
}

/** What a claimed job becomes. */
export interface NextStep {
  id: string
  epoch: number
  kind: JobKind
  runAt: number
  attempts: number
  lapsed: boolean
  carrierRef: string | undefined
  submittedAt: number
}

/** Gives claimed jobs their next step. A job that someone else has claimed since stays as it is. */
export async function reschedule({ run }: Connection, steps: readonly NextStep[]): Promise<void> {
  await inChunks(steps, async (chunk) => {
    const values = chunk.flatMap((step) => [
      step.id,
      step.epoch,
      step.kind,
      step.runAt,
      step.attempts,
      step.lapsed ? 1 : 0,
      step.carrierRef ?? null,
      step.submittedAt,
    ])
    await run(rescheduleRows(chunk.length), values)
  })
}

const NEXT_STEP = ['TEXT', 'BIGINT', 'TEXT', 'BIGINT', 'BIGINT', 'BIGINT', 'TEXT', 'BIGINT'] as const
const rescheduleRows = bySize(
  (rows) => `UPDATE outbox SET kind = v.column3, run_at = v.column4, lease_until = 0, attempts = v.column5,
    lapsed = v.column6, carrier_ref = v.column7, submitted_at = v.column8
  FROM (VALUES ${placeholders(rows, NEXT_STEP.length, NEXT_STEP)}) AS v
  WHERE outbox.id = v.column1 AND outbox.epoch = v.column2`,
)

/** Gives back the claimed jobs that are not settled yet. Their fate is as unknown as if the lease had lapsed. */
export async function release({ run }: Connection, jobs: readonly Job[], now: EpochMs): Promise<void> {
  for (const { id, epoch } of jobs) {
    await run(
      'UPDATE outbox SET lease_until = $1, run_at = $2 WHERE id = $3 AND epoch = $4 AND lease_until > 0',
      [now, now, id, epoch],
    )
  }
}

/** Removes jobs for good, and gives back what was known of their submission. */
export async function removeJobs(
  { run }: Connection,
  ids: readonly string[],
): Promise<Map<string, { carrierRef: string | null; submittedAt: number }>> {
  const removed = new Map<string, { carrierRef: string | null; submittedAt: number }>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<{ id: string; carrier_ref: string | null; submitted_at: number }>(
      `DELETE FROM outbox WHERE id IN ${placeholders(1, chunk.length)} RETURNING id, carrier_ref, submitted_at`,
      chunk,
    )
    for (const row of rows)
      removed.set(row.id, { carrierRef: row.carrier_ref, submittedAt: row.submitted_at })
  })
  return removed
}
