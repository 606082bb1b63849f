import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'
import type { MessageRow, OutgoingMessage } from './messages.ts'
import { bySize, inChunks, insertRows, placeholders, updateRows } from './rows.ts'
import type { JobKind, Tables } from './schema.ts'

export type { JobKind } from './schema.ts'

type Row = Tables['outbox']['$inferSelect']

const NEW = [
  'id',
  'kind',
  'runAt',
  'leaseUntil',
  'epoch',
  'expiresAt',
] as const satisfies readonly (keyof Row)[]

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
  /** What it sends, where that is known already. */
  message?: OutgoingMessage
}

/**
 * A message goes to the carrier at once, or waits in the same outbox for its time. With a lease, the first kind is
 * born claimed, by the process that stores it.
 */
export function firstJob(
  { id, status, sendAt, createdAt }: Pick<MessageRow, 'id' | 'status' | 'sendAt' | 'createdAt'>,
  { validityMs, leaseMs }: JobTimes,
): NewJob {
  if (status === 'scheduled')
    return { id, kind: 'scheduled', runAt: sendAt, ...UNCLAIMED, expiresAt: sendAt + validityMs }
  const claimed = leaseMs === undefined ? UNCLAIMED : { leaseUntil: createdAt + leaseMs, epoch: 1 }
  return { id, kind: 'dispatch', runAt: createdAt, ...claimed, expiresAt: createdAt + validityMs }
}

export interface JobTimes {
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  /** How long messages that go out at once are claimed; undefined when they are left for anybody to claim. */
  leaseMs: number | undefined
}

const UNCLAIMED = { leaseUntil: 0, epoch: 0 } as const

/** The job of a message that was stored with a lease, as a claim would give it. */
export function bornClaimed(
  message: OutgoingMessage & Pick<MessageRow, 'createdAt'>,
  validityMs: number,
): Job {
  return {
    id: message.id,
    epoch: 1,
    attempts: 0,
    faults: 0,
    lapsed: false,
    carrierRef: undefined,
    submittedAt: 0,
    expiresAt: message.createdAt + validityMs,
    message,
  }
}

/** A callback is tried by its own plan, which ends by itself. */
export function callbackJob(id: string, runAt: EpochMs): NewJob {
  return { id, kind: 'callback', runAt, ...UNCLAIMED, expiresAt: 0 }
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
export function reschedule(connection: Connection, steps: readonly NextStep[]): Promise<void> {
  const rows = steps.map(({ lapsed, carrierRef = null, ...step }) => ({
    ...step,
    lapsed: lapsed ? (1 as const) : (0 as const),
    carrierRef,
    leaseUntil: 0,
    faults: 0,
  }))
  return updateRows(connection, connection.t.outbox, rows, NEXT_STEP)
}

const NEXT_STEP = {
  by: ['id', 'epoch'],
  set: ['kind', 'runAt', 'leaseUntil', 'attempts', 'lapsed', 'carrierRef', 'submittedAt', 'faults'],
} as const

/**
 * Writes down that claimed messages are about to be handed to a carrier that can't be asked about them later: from
 * here on they wait for their receipts. Says which of them are still held, and may be handed over.
 */
export async function markHandedOver({ run }: Connection, jobs: readonly Job[]): Promise<Set<string>> {
  const held = new Set<string>()
  await inChunks(jobs, async (chunk) => {
    const rows = await run<{ id: string }>(
      markHandedOverRows(chunk.length),
      chunk.flatMap(({ id, epoch }) => [id, epoch]),
    )
    for (const { id } of rows) held.add(id)
  })
  return held
}

const HOLDER = ['TEXT', 'BIGINT'] as const
const markHandedOverRows = bySize(
  (
    rows,
  ) => `UPDATE outbox SET kind = 'await' WHERE (id, epoch) IN (VALUES ${placeholders(rows, HOLDER.length, HOLDER)})
  RETURNING id`,
)

/** Extends the leases of unsettled jobs. A job that another process has claimed since stays as it is. */
export function renew(connection: Connection, jobs: readonly Job[], leaseUntil: number): Promise<void> {
  const rows = jobs.map(({ id, epoch }) => ({ id, epoch, leaseUntil }))
  return updateRows(connection, connection.t.outbox, rows, LEASE)
}

/** A job that is settled has no lease, and stays as it is. */
const UNSETTLED = 'outbox.lease_until > 0'
const LEASE = { by: ['id', 'epoch'], set: ['leaseUntil'], when: UNSETTLED } as const

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
      // A lease that has ended tells the next claim that this one was never settled.
      return { ...job, faults, runAt: now + pause, leaseUntil: now }
    }),
  )
}

function handBack(
  connection: Connection,
  jobs: readonly Pick<Row, 'id' | 'epoch' | 'faults' | 'runAt' | 'leaseUntil'>[],
): Promise<void> {
  return updateRows(connection, connection.t.outbox, jobs, HANDED_BACK)
}

const HANDED_BACK = { by: ['id', 'epoch'], set: ['faults', 'runAt', 'leaseUntil'], when: UNSETTLED } as const

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

/** At which claim jobs are. */
export async function epochsOf({ run }: Connection, ids: readonly string[]): Promise<Map<string, number>> {
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
