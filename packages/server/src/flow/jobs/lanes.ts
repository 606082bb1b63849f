import type { EpochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Tx } from '../../store/database.ts'
import { inChunks, placeholders } from '../../store/rows.ts'
import type { JobKind } from '../../store/schema/schema.ts'
import { SLICE } from '../../store/slices.ts'
import { type Due, OWNER } from './claim.ts'
import type { Job, LaneName } from './outbox.ts'
import type { JobQueue } from './queue.ts'

/** The lanes of a kind that have jobs, the unnamed one left out. */
export async function lanesWithJobs({ run }: Tx, kind: JobKind): Promise<string[]> {
  const lanes: string[] = []
  for (;;) {
    const [row] = await run<{ lane: string }>(
      'SELECT lane FROM outbox WHERE kind = $1 AND lane > $2 ORDER BY lane LIMIT 1',
      [kind, lanes.at(-1) ?? ''],
    )
    if (!row) return lanes
    lanes.push(row.lane)
  }
}

/** Moves due jobs of a lane to the unnamed lane of their kind. Returns whether there may be more. */
export async function leaveLane(
  { run, locks }: Tx,
  { kind, lane }: LaneName,
  { now, dueBy }: { now: EpochMs; dueBy: number },
): Promise<boolean> {
  const moved = await run(
    `WITH due AS MATERIALIZED (
       SELECT id FROM outbox WHERE kind = $1 AND lane = $2 AND run_at <= $3 AND lease_until <= $4
       LIMIT ${SLICE} ${locks.skipLocked})
     UPDATE outbox SET lane = '' WHERE id IN (SELECT id FROM due) RETURNING 1 AS one`,
    [kind, lane, dueBy, now],
  )
  return moved.length === SLICE
}

/** So many owners are looked at for one slice at most. */
const OWNERS = 64

/**
 * Makes jobs of a lane due that wait for a later time without having failed, a slice of them: owner by owner, from this
 * one on. Returns those jobs, and the owner to go on from; undefined when there are no more. Reads no job that is due: millions may be.
 */
export async function bringForward(
  { run, locks }: Tx,
  { kind, lane }: LaneName,
  { from, now }: { from: string; now: EpochMs },
): Promise<{ due: Due[]; next: string | undefined }> {
  const due: Due[] = []
  const owners = await run<{ owner: string }>(OWNERS_FROM, [kind, lane, from, kind, lane])
  for (const [index, { owner }] of owners.entries()) {
    if (index === OWNERS || due.length >= SLICE) return { due, next: owner }
    const rows = await run<{ id: string }>(LATER + locks.skipLocked, [kind, lane, owner, now, now])
    await inChunks(rows, (chunk) =>
      run(`UPDATE outbox SET run_at = $1 WHERE id IN ${placeholders(1, chunk.length, undefined, 1)}`, [
        now,
        ...chunk.map(({ id }) => id),
      ]).then(() => undefined),
    )
    for (const _ of rows) due.push({ owner, runAt: now })
    if (rows.length === SLICE) return { due, next: owner }
  }
  return { due, next: undefined }
}

/** Skips from one owner to the next in the index. */
const OWNERS_FROM = `WITH RECURSIVE ahead AS (
    SELECT (SELECT min(${OWNER}) FROM outbox WHERE kind = $1 AND lane = $2 AND ${OWNER} >= $3) AS name
    UNION ALL
    SELECT (SELECT min(${OWNER}) FROM outbox WHERE kind = $4 AND lane = $5 AND ${OWNER} > ahead.name)
    FROM ahead WHERE name IS NOT NULL)
  SELECT name AS owner FROM ahead WHERE name IS NOT NULL LIMIT ${OWNERS + 1}`

const LATER = `SELECT id FROM outbox
  WHERE kind = $1 AND lane = $2 AND ${OWNER} = $3 AND run_at > $4 AND lease_until <= $5 AND attempts = 0
  ORDER BY run_at LIMIT ${SLICE} `

/** Which of these jobs are in a lane of this name, of any kind. */
export function jobsIn(tx: Tx, lane: string, ids: readonly string[]): Promise<Set<string>> {
  return jobsWhere(tx, 'lane', lane, ids)
}

/** Which of these jobs are of this kind, in any lane. */
export function jobsOf(tx: Tx, kind: JobKind, ids: readonly string[]): Promise<Set<string>> {
  return jobsWhere(tx, 'kind', kind, ids)
}

async function jobsWhere(
  { run }: Tx,
  column: 'lane' | 'kind',
  value: string,
  ids: readonly string[],
): Promise<Set<string>> {
  const found = new Set<string>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<{ id: string }>(
      `SELECT id FROM outbox WHERE ${column} = $1 AND id IN ${placeholders(1, chunk.length, undefined, 1)}`,
      [value, ...chunk],
    )
    for (const { id } of rows) found.add(id)
  })
  return found
}

/** How the jobs of one lane are handled. */
export interface Lane extends LaneName {
  /**
   * Handles claimed jobs and finishes each of them. May report single jobs as done, so that a slow one does not hold
   * the capacity of its whole batch. A job that has failed before comes alone, so that it cannot fail others.
   */
  handle(jobs: readonly Job[], done: (job: Job) => void): Promise<void>
  /** How many jobs are claimed at a time. */
  batch: number
  /** How many jobs may be in progress at a time. */
  underWay: number
  /** How many more jobs an owner may begin beside its own and all owners' jobs in progress. Default: any number. */
  share?(owner: string, inProgress: { own: number; all: number }): number
  leaseMs: number
  /** A short wait after a wake-up, so that one claim takes all the work that gathers. */
  gatherMs: number
  /** How many more jobs what is behind the lane can take now; without it, any number. Call `wake` when it grows. */
  capacity?(): number
  /** Claims only jobs that have been due for this long, and leaves the others to processes that fare better. */
  patienceMs?(): number
}

/** Shared by the lanes of a worker. */
export interface Shift {
  queue: JobQueue
  clock: Clock
  /** The longest sleep. Other processes queue work without waking this one. */
  pollMs: number
  onFault(error: unknown, lane: LaneName, jobs: readonly Job[]): void
  /** The jobs in progress in all lanes, by id: a job may be claimed by another lane than the one that holds it. */
  inProgress: Map<string, Job>
}

/** Worker capacity reserved for jobs that are being stored as already claimed. */
export interface ReservedCapacity {
  leaseMs: number
  /** Whether there is a place for the job that was asked about at this index. */
  has(index: number): boolean
  /** Starts the stored jobs and releases the unused capacity. */
  begin(jobs: readonly Job[]): void
  /** Releases the capacity when nothing was stored. */
  giveBack(): void
}
