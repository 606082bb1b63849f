import type { EpochMs } from '../../kernel/ids.ts'
import { backoff, HOUR_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import {
  bySize,
  columnName,
  inChunks,
  insertRows,
  placeholders,
  typesOf,
  updateRows,
} from '../../store/rows.ts'
import { type JobKind, NEW_WORK, type Tables, tables } from '../../store/schema/schema.ts'

export type { JobKind } from '../../store/schema/schema.ts'

type Row = Tables['outbox']['$inferSelect']

const NEW = [
  'id',
  'kind',
  'lane',
  'owner',
  'runAt',
  'leaseUntil',
  'epoch',
  'expiresAt',
] as const satisfies readonly (keyof Row)[]

/** A job to enqueue. */
export type NewJob = Pick<Row, (typeof NEW)[number]>

/** The columns of a job that belong to its subject. */
export type Work = Pick<Row, keyof typeof NEW_WORK>

/** The columns of {@link Work} in a SELECT or RETURNING. */
export const WORK_COLUMNS = Object.keys(NEW_WORK)
  .map((key) => `${columnName(key)} AS "${key}"`)
  .join(', ')

/** A claimed job. This process holds it as long as it renews the lease. */
export interface Job extends Work {
  id: string
  /** The lane of its kind that claimed it; empty for a kind with one lane. */
  lane: string
  /** Whose it is, or nobody's. Owners take turns. */
  owner: string
  /** When it was due. */
  runAt: number
  /**
   * Grows with each claim and with each step of a message. Only the holder of the latest may finish the job. The worker
   * updates it when it reclaims.
   */
  epoch: number
  attempts: number
  /** How many times in a row it failed unexpectedly. */
  faults: number
  /** The previous claim was never finished, so its outcome is unknown. */
  lapsed: boolean
  expiresAt: number
}

/** The owner of jobs that are nobody's in particular. */
export const NOBODY = '-'

/** The lease of a new job that any process may claim. */
export const UNCLAIMED = { leaseUntil: 0, epoch: 0 } as const

/**
 * The lease of a new job that is stored as already claimed by this process; without a length, that of an unclaimed
 * one.
 */
export function firstLease(from: number, leaseMs: number | undefined): Pick<NewJob, 'leaseUntil' | 'epoch'> {
  return leaseMs === undefined ? UNCLAIMED : { leaseUntil: from + leaseMs, epoch: 1 }
}

/** A job that was stored with a lease, as if it had just been claimed. */
export function bornClaimed({ id, lane, owner, runAt, epoch, expiresAt }: NewJob): Job {
  return { id, lane, owner, runAt, epoch, expiresAt, attempts: 0, faults: 0, lapsed: false, ...NEW_WORK }
}

/** Adds jobs to the outbox. Each runs at its `runAt`. */
export function enqueue(tx: Tx, jobs: readonly NewJob[]): Promise<void> {
  return insertRows(tx, tx.t.outbox, jobs, NEW)
}

/** Names a lane: a kind of job, and a part of it where a kind has several lanes. */
export interface LaneName {
  kind: JobKind
  lane: string
}

/** The new state of a claimed job. */
export interface NextStep {
  id: string
  epoch: number
  kind: JobKind
  lane: string
  owner: string
  runAt: number
  attempts: number
  lapsed: boolean
}

/** Moves claimed jobs to their next step. Skips jobs that another process has claimed since. */
export async function reschedule(tx: Tx, steps: readonly NextStep[]): Promise<void> {
  const rows = steps.map((step) => ({ ...step, ...finishedClaim(step) }))
  await updateRows(tx, tx.t.outbox, rows, NEXT_STEP)
}

/** The update of a next step. A subject that also changes work adds its columns. */
export const NEXT_STEP = {
  by: ['id', 'epoch'],
  set: ['kind', 'lane', 'runAt', 'leaseUntil', 'attempts', 'lapsed', 'faults'],
} as const

/** The claim of a job that has moved to its next step: no lease and no failures. */
export function finishedClaim({ lapsed }: NextStep): Pick<Row, 'lapsed' | 'leaseUntil' | 'faults'> {
  return { lapsed: lapsed ? 1 : 0, leaseUntil: 0, faults: 0 }
}

const HOLDER = ['TEXT', 'BIGINT'] as const

/**
 * Makes the function that stores the work of claimed jobs, which are of another kind from then on. It returns the ids
 * that this process still holds.
 */
export function storingWork(kind: JobKind, work: readonly (keyof Work)[]) {
  const types = [...HOLDER, ...typesOf(tables.outbox, work)]
  const set = work.map((key, index) => `${columnName(key)} = v.column${HOLDER.length + index + 1}`)
  const statement = bySize(
    (rows) => `UPDATE outbox SET kind = '${kind}', ${set.join(', ')}
  FROM (VALUES ${placeholders(rows, types.length, types)}) AS v
  WHERE outbox.id = v.column1 AND outbox.epoch = v.column2 RETURNING outbox.id`,
  )
  return async function storeWork({ run }: Tx, jobs: readonly Job[]): Promise<Set<string>> {
    const held = new Set<string>()
    await inChunks(jobs, async (chunk) => {
      const values = chunk.flatMap((job) => [job.id, job.epoch, ...work.map((key) => job[key])])
      for (const { id } of await run<{ id: string }>(statement(chunk.length), values)) held.add(id)
    })
    return held
  }
}

/** Extends the leases of unfinished jobs. Skips jobs that another process has claimed since. */
export function renew(tx: Tx, jobs: readonly Job[], leaseUntil: number): Promise<void> {
  const rows = jobs.map(({ id, epoch }) => ({ id, epoch, leaseUntil }))
  return updateRows(tx, tx.t.outbox, rows, LEASE)
}

/** A finished job has no lease. */
const UNSETTLED = 'outbox.lease_until > 0'
const LEASE = { by: ['id', 'epoch'], set: ['leaseUntil'], when: UNSETTLED } as const

/**
 * Gives back the unfinished jobs, which keep their places in line unless they are to pause. Their outcome counts as
 * unknown, as if the lease had lapsed.
 */
export async function giveBack(tx: Tx, jobs: readonly Job[], now: EpochMs, pauseMs = 0): Promise<void> {
  await handBack(
    tx,
    jobs.map((job) => ({ ...job, runAt: pauseMs > 0 ? now + pauseMs : job.runAt, leaseUntil: now })),
  )
}

/** After this many failures in a row a job is set aside: it is retried once an hour until it succeeds. */
export const SET_ASIDE_AFTER = 6
const FIRST_PAUSE_MS = 1_000
const SET_ASIDE_MS = HOUR_MS

/** Gives back the unfinished jobs that failed. The delay grows with each failure. */
export async function handBackFailed(tx: Tx, jobs: readonly Job[], now: EpochMs): Promise<void> {
  await handBack(
    tx,
    jobs.map((job) => {
      const faults = job.faults + 1
      const pause = faults > SET_ASIDE_AFTER ? SET_ASIDE_MS : backoff(faults, FIRST_PAUSE_MS)
      // A nonzero lease in the past tells the next claim that this one was never finished.
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

export type LastClaim = Pick<Row, 'id' | 'epoch' | 'handedAt'>

/** The last claim of jobs, and when they were handed over last, by id. */
export async function lastClaimsOf({ run }: Tx, ids: readonly string[]): Promise<Map<string, LastClaim>> {
  const claims = new Map<string, LastClaim>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<LastClaim>(
      `SELECT id, epoch, handed_at AS "handedAt" FROM outbox WHERE id IN ${placeholders(1, chunk.length)}`,
      chunk,
    )
    for (const row of rows) claims.set(row.id, row)
  })
  return claims
}

/** Removed jobs: their lane and work, by id. */
export type RemovedJobs = Map<string, Pick<Row, 'lane'> & Work>

/** Removes jobs, held or not, and returns their lane and work. */
export async function removeJobs({ run }: Tx, ids: readonly string[]): Promise<RemovedJobs> {
  const removed: RemovedJobs = new Map()
  await inChunks(ids, async (chunk) => {
    const rows = await run<Pick<Row, 'id' | 'lane'> & Work>(
      `DELETE FROM outbox WHERE id IN ${placeholders(1, chunk.length)} RETURNING id, lane, ${WORK_COLUMNS}`,
      chunk,
    )
    for (const { id, ...job } of rows) removed.set(id, job)
  })
  return removed
}

/**
 * Lets the leases that are held now last longer, by as much as the clock is about to be moved forward: their holders
 * are still at work. A row that another transaction has locked is just being finished or renewed.
 */
export async function extendLeases({ run, locks }: Tx, now: EpochMs, ms: number): Promise<void> {
  await run(
    `WITH held AS MATERIALIZED (
       SELECT id FROM outbox WHERE lease_until > $1 ORDER BY id ${locks.skipLocked})
     UPDATE outbox SET lease_until = lease_until + $2 WHERE id IN (SELECT id FROM held)`,
    [now, ms],
  )
}

export interface OutboxState {
  jobs: number
  /** Due for longer than any job waits while a server runs. */
  overdue: number
  /** Claimed, but not finished before the lease ended. */
  lapsed: number
  /** Failed repeatedly and now retried once an hour. */
  setAside: number
}

/** Counts all jobs, and those with problems. */
export async function outboxState({ run }: Tx, now: EpochMs, graceMs: number): Promise<OutboxState> {
  const [row] = await run<OutboxState>(
    `SELECT (SELECT count(*) FROM outbox) AS jobs,
       (SELECT count(*) FROM outbox WHERE run_at < $1) AS overdue,
       (SELECT count(*) FROM outbox WHERE faults = 0 AND lease_until > 0 AND lease_until < $2) AS lapsed,
       (SELECT count(*) FROM outbox WHERE faults > 0 AND faults > $3) AS "setAside"`,
    [now - graceMs, now, SET_ASIDE_AFTER],
  )
  return row ?? { jobs: 0, overdue: 0, lapsed: 0, setAside: 0 }
}

/** The number of jobs of each kind that are set aside. */
export async function countSetAside({ run }: Tx): Promise<{ kind: JobKind; count: number }[]> {
  // The first condition lets the planner use the index of those that failed.
  return run('SELECT kind, count(*) AS count FROM outbox WHERE faults > 0 AND faults > $1 GROUP BY kind', [
    SET_ASIDE_AFTER,
  ])
}

/** How many jobs of a kind there are, those for later included, counted up to a limit. */
export async function countJobs({ run }: Tx, kind: JobKind, most: number): Promise<number> {
  const [row] = await run<{ count: number }>(
    'SELECT count(*) AS count FROM (SELECT 1 FROM outbox WHERE kind = $1 LIMIT $2) AS found',
    [kind, most],
  )
  return row?.count ?? 0
}
