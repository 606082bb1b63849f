import type { EpochMs } from '../../kernel/ids.ts'
import type { Database, Tx, Value } from '../../store/database.ts'
import { bySize, inChunks, placeholders } from '../../store/rows.ts'
import { KINDS_IN_TURN, type Tables } from '../../store/schema/schema.ts'
import { type Job, type LaneName, NOBODY, WORK_COLUMNS, type Work } from './outbox.ts'

type Row = Tables['outbox']['$inferSelect']

/** In whose turn a job is claimed. The index of what is due has this expression. */
export const OWNER = `(CASE WHEN kind IN ('${KINDS_IN_TURN.join("', '")}') THEN owner ELSE '${NOBODY}' END)`

/** Whose a job is, and when it is due. */
export type Due = Pick<Row, 'owner' | 'runAt'>

/** The job as those who take turns see it. */
export function dueOf({ kind, owner, runAt }: Due & Pick<Row, 'kind'>): Due {
  return { owner: KINDS_IN_TURN.includes(kind) ? owner : NOBODY, runAt }
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

/** One owner's part of a claim: at most `most` of its jobs, due at `from` or later. */
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

/** An owner's claimed jobs, and when its next free job is due; undefined when there is none. */
export interface Claimed {
  jobs: Job[]
  nextDue: number | undefined
}

/** Claims due jobs, the oldest of each owner first, owner by owner. Concurrent processes never claim the same job. */
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

type HeldRow = Pick<
  Row,
  'id' | 'owner' | 'runAt' | 'epoch' | 'attempts' | 'faults' | 'lapsed' | 'expiresAt'
> &
  Work

async function hold(
  { run }: Tx,
  { lane }: LaneName,
  ids: readonly string[],
  leaseUntil: number,
): Promise<Map<string, Job>> {
  const held = new Map<string, Job>()
  await inChunks(ids, async (chunk) => {
    const rows = await run<HeldRow>(holdRows(chunk.length), [leaseUntil, ...chunk])
    for (const row of rows) held.set(row.id, { ...row, lane, lapsed: row.lapsed === 1 })
  })
  return held
}

const holdRows = bySize(
  (rows) => `UPDATE outbox SET lapsed = CASE WHEN lease_until > 0 THEN 1 ELSE lapsed END,
    lease_until = $1, epoch = epoch + 1
  WHERE id IN ${placeholders(1, rows, undefined, 1)}
  RETURNING id, owner, run_at AS "runAt", epoch, attempts, faults, lapsed, expires_at AS "expiresAt", ${WORK_COLUMNS}`,
)
