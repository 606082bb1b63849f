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

/** A job that this process holds while it renews the lease. */
export interface Job {
  id: string
  /** Counts the claims; only the holder of the latest may settle the job. The worker moves it on when it claims again. */
  epoch: number
  attempts: number
  /** How many times in a row its handling failed unexpectedly. */
  faults: number
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
  const rows = await run<Pick<Row, 'id' | 'epoch' | 'attempts' | 'faults' | 'lapsed'> & Snake>(
    `WITH due AS MATERIALIZED (
       SELECT id FROM outbox WHERE kind = $1 AND run_at <= $2 AND lease_until <= $3
       ORDER BY run_at LIMIT $4 ${locks.skipLocked})
     UPDATE outbox SET lapsed = CASE WHEN lease_until > 0 THEN 1 ELSE lapsed END,
       lease_until = $5, epoch = epoch + 1
     WHERE id IN (SELECT id FROM due)
     RETURNING id, epoch, attempts, faults, lapsed, carrier_ref, submitted_at, expires_at`,
    [kind, now, now, limit, now + leaseMs],
  )
  return rows.map((row) => ({
    id: row.id,
    epoch: row.epoch,
    attempts: row.attempts,
    faults: row.faults,
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

/** Gives claimed jobs their next step. A job that another process has claimed since stays as it is. */
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
    lapsed = v.column6, carrier_ref = v.column7, submitted_at = v.column8, faults = 0
  FROM (VALUES ${placeholders(rows, NEXT_STEP.length, NEXT_STEP)}) AS v
  WHERE outbox.id = v.column1 AND outbox.epoch = v.column2`,
)

/** Extends the leases of unsettled jobs. A job that another process has claimed since stays as it is. */
export async function renew({ run }: Connection, jobs: readonly Job[], leaseUntil: number): Promise<void> {
  await inChunks(jobs, async (chunk) => {
    const values = [leaseUntil, ...chunk.flatMap(({ id, epoch }) => [id, epoch])]
    await run(renewRows(chunk.length), values)
  })
}

const HOLDER = ['TEXT', 'BIGINT'] as const
const renewRows = bySize(
  (rows) => `UPDATE outbox SET lease_until = $1
  WHERE lease_until > 0 AND (id, epoch) IN (VALUES ${placeholders(rows, HOLDER.length, HOLDER, 1)})`,
)

/** Gives back the claimed jobs that are not settled yet. Their fate is as unknown as if the lease had lapsed. */
export async function release(
  connection: Connection,
  jobs: readonly Job[],
  now: EpochMs,
  pauseMs = 0,
): Promise<void> {
  await handBack(
    connection,
    jobs.map((job) => ({ ...job, runAt: now + pauseMs, leaseUntil: now })),
  )
}

/** After so many failures in a row a job is set aside: it is tried once an hour, until it succeeds. */
export const SET_ASIDE_AFTER = 6
const FIRST_PAUSE_MS = 1_000
const SET_ASIDE_MS = 3_600_000

/** Gives back the unsettled jobs whose handling failed, each to be tried later than the time before. */
export async function handBackFailed(
  connection: Connection,
  jobs: readonly Job[],
  now: EpochMs,
): Promise<void> {
  await handBack(
    connection,
    jobs.map((job) => {
      const faults = job.faults + 1
      const pause = faults > SET_ASIDE_AFTER ? SET_ASIDE_MS : FIRST_PAUSE_MS * 2 ** (faults - 1)
      // A lease that has ended: the next claim knows that the fate of the one before is unknown.
      return { ...job, faults, runAt: now + pause, leaseUntil: now }
    }),
  )
}

type HandedBack = Pick<Row, 'id' | 'epoch' | 'faults' | 'runAt' | 'leaseUntil'>

async function handBack({ run }: Connection, jobs: readonly HandedBack[]): Promise<void> {
  await inChunks(jobs, async (chunk) => {
    const values = chunk.flatMap(({ id, epoch, faults, runAt, leaseUntil }) => [
      id,
      epoch,
      faults,
      runAt,
      leaseUntil,
    ])
    await run(handBackRows(chunk.length), values)
  })
}

const HANDED_BACK = ['TEXT', 'BIGINT', 'BIGINT', 'BIGINT', 'BIGINT'] as const
const handBackRows = bySize(
  (rows) => `UPDATE outbox SET faults = v.column3, run_at = v.column4, lease_until = v.column5
  FROM (VALUES ${placeholders(rows, HANDED_BACK.length, HANDED_BACK)}) AS v
  WHERE outbox.id = v.column1 AND outbox.epoch = v.column2 AND outbox.lease_until > 0`,
)

/** Removes jobs that this process holds, and says which: not those that were claimed or requeued since. */
export async function removeHeld(
  { run }: Connection,
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

/** Locks jobs until the transaction ends, and says at which claim each of them is. */
export async function lockEpochs(
  { run, locks }: Connection,
  ids: readonly string[],
): Promise<Map<string, number>> {
  const epochs = new Map<string, number>()
  await inChunks([...ids].sort(), async (chunk) => {
    const rows = await run<Pick<Row, 'id' | 'epoch'>>(
      `SELECT id, epoch FROM outbox WHERE id IN ${placeholders(1, chunk.length)} ORDER BY id ${locks.forUpdate}`,
      chunk,
    )
    for (const { id, epoch } of rows) epochs.set(id, epoch)
  })
  return epochs
}

/** What was known of the submissions of removed jobs, by id. */
export type RemovedJobs = Map<string, Pick<Row, 'carrierRef' | 'submittedAt'>>

/** Removes jobs for good, held or not, and gives back what was known of their submission. */
export async function removeJobs({ run }: Connection, ids: readonly string[]): Promise<RemovedJobs> {
  const removed: RemovedJobs = new Map()
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
