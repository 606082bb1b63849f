import type { EpochMs } from '../../domain/ids.ts'
import type { OutgoingMessage } from '../../domain/message.ts'
import type { Database, Tx, Value } from '../database/database.ts'
import { bySize, inChunks, insertRows, placeholders, updateRows } from '../database/rows.ts'
import type { JobKind, Tables } from '../database/schema.ts'

export type { JobKind } from '../database/schema.ts'

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

/** A claimed job. This process holds it as long as it renews the lease. */
export interface Job {
  id: string
  /** The lane of its kind that claimed it, such as a carrier's; empty for a kind with one lane. */
  lane: string
  /** Whose it is: a message's wallet, a callback's account, nobody's otherwise. Owners take turns. */
  owner: string
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
 * In whose turn a job is claimed. Jobs that wait for a time, and not for a place, take no turns: they are as one owner's.
 * The index of what is due has this expression.
 */
export const OWNER = "(CASE WHEN kind IN ('dispatch', 'callback') THEN owner ELSE '-' END)"
/** The owner of jobs that are nobody's in particular. */
export const NOBODY = '-'

/** Whose a job is, and when it is due. */
export type Due = Pick<Row, 'owner' | 'runAt'>

/** The job as those who take turns see it. */
export function dueOf({ kind, owner, runAt }: Due & Pick<Row, 'kind'>): Due {
  return { owner: kind === 'dispatch' || kind === 'callback' ? owner : NOBODY, runAt }
}

/** This many owners are looked for at a time. */
const OWNERS = 1_000

/** The owners whose jobs wait in a lane, each with the first job that nobody holds. */
export async function firstOfEachOwner(
  database: Pick<Database, 'read'>,
  { kind, lane }: LaneName,
  now: EpochMs,
): Promise<Due[]> {
  const first: Due[] = []
  for (let after: string | undefined = ''; after !== undefined; ) {
    const values: readonly Value[] = [after, kind, lane, kind, lane, now]
    const rows: FirstRow[] = await database.read(({ run }) => run<FirstRow>(OWNERS_AFTER, values))
    for (const { owner, due } of rows) if (due !== null) first.push({ owner, runAt: due })
    after = rows[OWNERS - 1]?.owner
  }
  return first
}

interface FirstRow {
  owner: string
  due: number | null
}

/** Skips from one owner to the next in the index. */
const OWNERS_AFTER = `WITH RECURSIVE ahead AS (
    SELECT CAST($1 AS TEXT) AS name
    UNION ALL
    SELECT (SELECT min(${OWNER}) FROM outbox WHERE kind = $2 AND lane = $3 AND ${OWNER} > ahead.name)
    FROM ahead WHERE name IS NOT NULL)
  SELECT name AS owner, (SELECT run_at FROM outbox WHERE kind = $4 AND lane = $5 AND ${OWNER} = ahead.name
    AND lease_until <= $6 ORDER BY run_at LIMIT 1) AS due
  FROM ahead WHERE name IS NOT NULL LIMIT ${OWNERS} OFFSET 1`

/** What a claim asks of one owner: at most so many of its jobs, of those due at a time or later. */
export interface Ask {
  owner: string
  from: number
  most: number
}

export interface ClaimOptions {
  now: EpochMs
  /** Claims only jobs due by this time. */
  dueBy: number
  leaseMs: number
}

/** What was claimed of an owner's jobs, and when the next one that nobody holds is due; undefined when there is none. */
export interface Claimed {
  jobs: Job[]
  nextDue: number | undefined
}

/** Claims due jobs, the oldest of each owner first, in the order of what is asked. Concurrent processes never claim the same job. */
export async function claim(
  tx: Tx,
  lane: LaneName,
  asks: readonly Ask[],
  options: ClaimOptions,
): Promise<Claimed[]> {
  const first = await (tx.locks.skipLocked === '' ? firstOfOwners : lockFirstOfOwners)(
    tx,
    lane,
    asks,
    options,
  )
  const chosen = asks.map(({ owner, most }) => {
    const waiting = first.get(owner) ?? []
    const due = waiting.slice(0, most).filter(({ runAt }) => runAt <= options.dueBy)
    return { ids: due.map(({ id }) => id), nextDue: waiting[due.length]?.runAt }
  })
  const claimed = await hold(
    tx,
    lane,
    chosen.flatMap(({ ids }) => ids),
    options.now + options.leaseMs,
  )
  return chosen.map(({ ids, nextDue }) => ({ jobs: ids.flatMap((id) => claimed.get(id) ?? []), nextDue }))
}

type FirstOfOwners = Map<string, readonly Pick<Row, 'id' | 'runAt'>[]>

/** The first jobs of each owner that nobody holds, and one more than is asked for, which says when the next is due. */
async function firstOfOwners(
  { run }: Tx,
  { kind, lane }: LaneName,
  asks: readonly Ask[],
  { now }: ClaimOptions,
): Promise<FirstOfOwners> {
  const first: FirstOfOwners = new Map()
  for (const { owner, from, most } of asks)
    first.set(owner, await run(FIRST, [kind, lane, owner, from, now, most + 1]))
  return first
}

const FIRST = `SELECT id, run_at AS "runAt" FROM outbox
  WHERE kind = $1 AND lane = $2 AND ${OWNER} = $3 AND run_at >= $4 AND lease_until <= $5 ORDER BY run_at LIMIT $6`

/** The same on PostgreSQL, for all owners in one statement. Passes over what another process is just claiming. */
async function lockFirstOfOwners(
  { run, locks }: Tx,
  { kind, lane }: LaneName,
  asks: readonly Ask[],
  { now }: ClaimOptions,
): Promise<FirstOfOwners> {
  const rows = await run<Pick<Row, 'id' | 'runAt' | 'owner'>>(
    `SELECT first.id, first.run_at AS "runAt", ask.owner
     FROM json_to_recordset($1) AS ask (owner TEXT, "from" BIGINT, most BIGINT) CROSS JOIN LATERAL (
       SELECT id, run_at FROM outbox
       WHERE kind = $2 AND lane = $3 AND ${OWNER} = ask.owner AND run_at >= ask."from" AND lease_until <= $4
       ORDER BY run_at LIMIT ask.most + 1 ${locks.skipLocked}) AS first`,
    [JSON.stringify(asks), kind, lane, now],
  )
  return Map.groupBy(rows, ({ owner }) => owner)
}

async function hold(
  { run }: Tx,
  { lane }: LaneName,
  ids: readonly string[],
  leaseUntil: number,
): Promise<Map<string, Job>> {
  const held = new Map<string, Job>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<Pick<Row, 'id' | 'owner' | 'epoch' | 'attempts' | 'faults' | 'lapsed'> & Snake>(
      holdRows(chunk.length),
      [leaseUntil, ...chunk],
    )
    for (const row of rows)
      held.set(row.id, {
        id: row.id,
        lane,
        owner: row.owner,
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
      })
  })
  return held
}

const holdRows = bySize(
  (rows) => `UPDATE outbox SET lapsed = CASE WHEN lease_until > 0 THEN 1 ELSE lapsed END,
    lease_until = $1, epoch = epoch + 1
  WHERE id IN ${placeholders(1, rows, undefined, 1)}
  RETURNING id, owner, run_at, epoch, attempts, faults, lapsed, carrier_ref, submitted_at, handed_at, expires_at, long_ref`,
)

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
  owner: string
  runAt: number
  attempts: number
  lapsed: boolean
  carrierRef: string | undefined
  submittedAt: number
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
}

const NEXT_STEP = {
  by: ['id', 'epoch'],
  set: ['kind', 'lane', 'runAt', 'leaseUntil', 'attempts', 'lapsed', 'carrierRef', 'submittedAt', 'faults'],
} as const

/**
 * Records that claimed messages are about to be submitted to a carrier: from here on they wait for receipts. Keeps the time, and the references of long messages. Returns the ids that this process still holds; only those may be
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
