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

/**
 * Makes jobs of a lane due that wait for a later time without having failed, a slice of them: owner by owner, from this
 * one on. Returns those jobs, and the owner to go on from; undefined when there are no more.
 */
export async function bringForward(
  { run, locks }: Tx,
  { kind, lane }: LaneName,
  { from, now }: { from: string; now: EpochMs },
): Promise<{ due: Due[]; next: string | undefined }> {
  const rows = await run<{ id: string; owner: string }>(
    `SELECT id, ${OWNER} AS owner FROM outbox
     WHERE kind = $1 AND lane = $2 AND (${OWNER}, run_at) > ($3, $4) AND run_at > $5 AND lease_until <= $6
       AND attempts = 0
     ORDER BY ${OWNER}, run_at LIMIT ${SLICE} ${locks.skipLocked}`,
    [kind, lane, from, now, now, now],
  )
  await inChunks(rows, (chunk) =>
    run(`UPDATE outbox SET run_at = $1 WHERE id IN ${placeholders(1, chunk.length, undefined, 1)}`, [
      now,
      ...chunk.map(({ id }) => id),
    ]).then(() => undefined),
  )
  return { due: rows.map(({ owner }) => ({ owner, runAt: now })), next: rows[SLICE - 1]?.owner }
}

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
