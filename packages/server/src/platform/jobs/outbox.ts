import type { EpochMs } from '../../domain/ids.ts'
import type { OutgoingMessage } from '../../domain/message.ts'
import type { Tx } from '../database/database.ts'
import { bySize, inChunks, insertRows, placeholders, updateRows } from '../database/rows.ts'
import type { JobKind, Tables } from '../database/schema.ts'

export type { JobKind } from '../database/schema.ts'

type Row = Tables['outbox']['$inferSelect']

const NEW = [
  'id',
  'kind',
  'lane',
  'runAt',
  'leaseUntil',
  'epoch',
  'expiresAt',
] as const satisfies readonly (keyof Row)[]

/** A job to enqueue. */
export type NewJob = Pick<Row, (typeof NEW)[number]>

/** A claimed job. This process holds it as long as it renews the lease. */
export interface Job {
  id: string
  /** The lane of its kind that claimed it, such as a carrier's; empty for a kind with one lane. */
  lane: string
  /** When it was due. */
  runAt: number
  /** The number of claims. Only the holder of the latest may settle the job. The worker updates it when it reclaims. */
  epoch: number
  attempts: number
  /** How many times in a row it failed unexpectedly. */
  faults: number
  /** The previous claim was never settled, so its outcome is unknown. */
  lapsed: boolean
  carrierRef: string | undefined
  submittedAt: number
  /** When it was last handed to a carrier; 0 if it never was. */
  handedAt: number
  expiresAt: number
  /** What tells the parts of a long message apart from those of others; given when it is first handed over. */
  longRef: number | undefined
  /** The message to send, if it is already loaded. */
  message?: OutgoingMessage
}

/** The lease of a new job that any process may claim. */
export const UNCLAIMED = { leaseUntil: 0, epoch: 0 } as const

/** Adds jobs to the outbox. Each runs at its `runAt`. */
export function enqueue(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
  return insertRows(tx, tx.t.outbox, jobs, NEW)
}

/** Names a lane: a kind of job, and a part of it where a kind has several lanes. */
export interface LaneName {
  kind: JobKind
  lane: string
}

/**
 * When the next job of a lane is due, of those due at `from` or later; undefined when there is none. Leased jobs are left
 * out; they count as due once their lease has ended.
 */
export async function nextDue(
  { run }: Tx,
  { kind, lane }: LaneName,
  now: EpochMs,
  from = 0,
): Promise<number | undefined> {
  const [row] = await run<{ due: number }>(
    `SELECT run_at AS due FROM outbox WHERE kind = $1 AND lane = $2 AND run_at >= $3 AND lease_until <= $4
     ORDER BY run_at LIMIT 1`,
    [kind, lane, from, now],
  )
  return row?.due
}

export interface ClaimOptions {
  now: EpochMs
  /** Claims only jobs due by this time; now when left out. */
  dueBy?: number | undefined
  /** Claims only jobs due at this time or later; all when left out. */
  from?: number
  leaseMs: number
  limit: number
}

/**
 * Claims due jobs, oldest first. Concurrent processes never claim the same job. The selection is materialized, because
 * PostgreSQL may run a plain subquery once per row, locking more rows each time, beyond the limit.
 */
export async function claim(
  { run, locks }: Tx,
  { kind, lane }: LaneName,
  { now, dueBy = now, from = 0, leaseMs, limit }: ClaimOptions,
): Promise<Job[]> {
  const rows = await run<Pick<Row, 'id' | 'epoch' | 'attempts' | 'faults' | 'lapsed'> & Snake>(
    `WITH due AS MATERIALIZED (
       SELECT id FROM outbox
       WHERE kind = $1 AND lane = $2 AND run_at >= $3 AND run_at <= $4 AND lease_until <= $5
       ORDER BY run_at LIMIT $6 ${locks.skipLocked})
     UPDATE outbox SET lapsed = CASE WHEN lease_until > 0 THEN 1 ELSE lapsed END,
       lease_until = $7, epoch = epoch + 1
     WHERE id IN (SELECT id FROM due)
     RETURNING id, run_at, epoch, attempts, faults, lapsed, carrier_ref, submitted_at, handed_at, expires_at, long_ref`,
    [kind, lane, from, dueBy, now, limit, now + leaseMs],
  )
  return rows.map((row) => ({
    id: row.id,
    lane,
    runAt: row.run_at,
    epoch: row.epoch,
    attempts: row.attempts,
    faults: row.faults,
    lapsed: row.lapsed === 1,
    carrierRef: row.carrier_ref ?? undefined,
    submittedAt: row.submitted_at,
    handedAt: row.handed_at,
    expiresAt: row.expires_at,
    longRef: row.long_ref ?? undefined,
  }))
}

interface Snake {
  run_at: number
  carrier_ref: string | null
  submitted_at: number
  handed_at: number
  expires_at: number
  long_ref: number | null
}

/** The new state of a claimed job. */
export interface NextStep {
  id: string
  epoch: number
  kind: JobKind
  lane: string
  runAt: number
  attempts: number
  lapsed: boolean
  carrierRef: string | undefined
  submittedAt: number
  /** When it was handed to a carrier, if that is not stored yet. */
  handedAt?: number
}

/** Moves claimed jobs to their next step. Skips jobs that another process has claimed since. */
export async function reschedule(tx: Tx, steps: readonly NextStep[]): Promise<void> {
  const rows = steps.map(({ lapsed, carrierRef = null, ...step }) => ({
    ...step,
    lapsed: lapsed ? (1 as const) : (0 as const),
    carrierRef,
    leaseUntil: 0,
    faults: 0,
  }))
  await updateRows(tx, tx.t.outbox, rows, NEXT_STEP)
  const handed = steps.flatMap(({ id, epoch, handedAt }) => (handedAt ? { id, epoch, handedAt } : []))
  await updateRows(tx, tx.t.outbox, handed, HANDED)
}

const NEXT_STEP = {
  by: ['id', 'epoch'],
  set: ['kind', 'lane', 'runAt', 'leaseUntil', 'attempts', 'lapsed', 'carrierRef', 'submittedAt', 'faults'],
} as const
const HANDED = { by: ['id', 'epoch'], set: ['handedAt'] } as const

/**
 * Records that claimed messages are about to be submitted to a carrier that has no status query: from here on they wait
 * for receipts. Keeps the time, and the references of long messages. Returns the ids that this process still holds; only those may be
 * submitted.
 */
export async function markHandedOver({ run }: Tx, jobs: readonly Job[]): Promise<Set<string>> {
  const held = new Set<string>()
  await inChunks(jobs, async (chunk) => {
    const rows = await run<{ id: string }>(
      markHandedOverRows(chunk.length),
      chunk.flatMap(({ id, epoch, handedAt, longRef = null }) => [id, epoch, handedAt, longRef]),
    )
    for (const { id } of rows) held.add(id)
  })
  return held
}

const HOLDER = ['TEXT', 'BIGINT'] as const
const MARKED = [...HOLDER, 'BIGINT', 'BIGINT'] as const
const markHandedOverRows = bySize(
  (rows) => `UPDATE outbox SET kind = 'await', handed_at = v.column3, long_ref = v.column4
  FROM (VALUES ${placeholders(rows, MARKED.length, MARKED)}) AS v
  WHERE outbox.id = v.column1 AND outbox.epoch = v.column2 RETURNING outbox.id`,
)

/** Extends the leases of unsettled jobs. Skips jobs that another process has claimed since. */
export function renew(tx: Tx, jobs: readonly Job[], leaseUntil: number): Promise<void> {
  const rows = jobs.map(({ id, epoch }) => ({ id, epoch, leaseUntil }))
  return updateRows(tx, tx.t.outbox, rows, LEASE)
}

/** A settled job has no lease. */
const UNSETTLED = 'outbox.lease_until > 0'
const LEASE = { by: ['id', 'epoch'], set: ['leaseUntil'], when: UNSETTLED } as const

/** Gives back the unsettled jobs. Their outcome counts as unknown, as if the lease had lapsed. */
export async function release(tx: Tx, jobs: readonly Job[], now: EpochMs, pauseMs = 0): Promise<void> {
  await handBack(
    tx,
    jobs.map((job) => ({ ...job, runAt: now + pauseMs, leaseUntil: now })),
  )
}

/** After this many failures in a row a job is set aside: it is retried once an hour until it succeeds. */
export const SET_ASIDE_AFTER = 6
const FIRST_PAUSE_MS = 1_000
const SET_ASIDE_MS = 3_600_000

/** Gives back the unsettled jobs that failed. The delay grows with each failure. */
export async function handBackFailed(tx: Tx, jobs: readonly Job[], now: EpochMs): Promise<void> {
  await handBack(
    tx,
    jobs.map((job) => {
      const faults = job.faults + 1
      const pause = faults > SET_ASIDE_AFTER ? SET_ASIDE_MS : FIRST_PAUSE_MS * 2 ** (faults - 1)
      // A nonzero lease in the past tells the next claim that this one was never settled.
      return { ...job, faults, runAt: now + pause, leaseUntil: now }
    }),
  )
}

function handBack(
  tx: Tx,
  jobs: readonly Pick<Row, 'id' | 'epoch' | 'faults' | 'runAt' | 'leaseUntil'>[],
): Promise<void> {
  return updateRows(tx, tx.t.outbox, jobs, HANDED_BACK)
}

const HANDED_BACK = { by: ['id', 'epoch'], set: ['faults', 'runAt', 'leaseUntil'], when: UNSETTLED } as const

/** Removes the jobs that this process still holds and returns their ids. Skips jobs claimed or requeued since. */
export async function removeHeld(
  { run }: Tx,
  jobs: readonly Pick<Job, 'id' | 'epoch'>[],
): Promise<Set<string>> {
  const removed = new Set<string>()
  await inChunks(jobs, async (chunk) => {
    const rows = await run<{ id: string }>(
      removeHeldRows(chunk.length),
      chunk.flatMap(({ id, epoch }) => [id, epoch]),
    )
    for (const { id } of rows) removed.add(id)
  })
  return removed
}

const removeHeldRows = bySize(
  (rows) => `DELETE FROM outbox WHERE (id, epoch) IN (VALUES ${placeholders(rows, HOLDER.length, HOLDER)})
  RETURNING id`,
)

/** The current epoch of jobs, by id. */
export async function epochsOf({ run }: Tx, ids: readonly string[]): Promise<Map<string, number>> {
  const epochs = new Map<string, number>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<Pick<Row, 'id' | 'epoch'>>(
      `SELECT id, epoch FROM outbox WHERE id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const { id, epoch } of rows) epochs.set(id, epoch)
  })
  return epochs
}

/** The submission data of removed jobs, by id. */
export type RemovedJobs = Map<string, Pick<Row, 'lane' | 'carrierRef' | 'submittedAt'>>

/** Removes jobs, held or not, and returns their submission data. */
export async function removeJobs({ run }: Tx, ids: readonly string[]): Promise<RemovedJobs> {
  const removed: RemovedJobs = new Map()
  await inChunks(ids, async (chunk) => {
    const rows = await run<{ id: string; lane: string; carrier_ref: string | null; submitted_at: number }>(
      `DELETE FROM outbox WHERE id IN ${placeholders(1, chunk.length)} RETURNING id, lane, carrier_ref, submitted_at`,
      chunk,
    )
    for (const row of rows)
      removed.set(row.id, { lane: row.lane, carrierRef: row.carrier_ref, submittedAt: row.submitted_at })
  })
  return removed
}
