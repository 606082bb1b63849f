import type { EpochMs } from '../../domain/ids.ts'
import type { Tx } from '../database/database.ts'
import { inChunks, placeholders } from '../database/rows.ts'
import type { JobKind } from '../database/schema.ts'
import { SLICE } from '../database/slices.ts'
import { type Due, OWNER } from './claim.ts'
import type { LaneName } from './outbox.ts'

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
