import type { Clock } from '../kernel/process/clock.ts'
import { RowLocked, type Tx, type Value } from './database.ts'

/** Rows read or deleted per transaction: a few milliseconds on SQLite, where all other writes wait meanwhile. */
export const SLICE = 1_000
/** The same for rows that are in many indexes, each of which has the entry on another page. */
export const SLICE_OF_INDEXED = 25

/** Does one slice of a long task. True if there may be more. */
export type Step = () => Promise<boolean>

/** Which rows are outdated, in the order of the index that finds them. */
export interface Outdated {
  table: string
  key: string
  where: string
  values: readonly Value[]
  orderBy: string
}

/**
 * Deletes one slice of outdated rows. Skips rows that another process has locked to change or delete them. The
 * selection is materialized for the same reason as in the outbox's `claim`.
 */
export async function deleteSlice(
  { run, locks }: Tx,
  { table, key, where, values, orderBy }: Outdated,
): Promise<boolean> {
  const deleted = await run(
    `WITH outdated AS MATERIALIZED (
       SELECT ${key} FROM ${table} WHERE ${where} ORDER BY ${orderBy} LIMIT ${SLICE} ${locks.skipLocked})
     DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM outdated) RETURNING 1 AS one`,
    values,
  )
  return deleted.length === SLICE
}

/**
 * Walks through a table in key order, for rows that no index finds. Each step handles the ids that `next` returns after
 * the previous step's last one.
 */
export function walk(
  next: (after: string) => Promise<{ id: string }[]>,
  work: (ids: readonly string[]) => Promise<void>,
): Step {
  let after = ''
  return async function step() {
    const ids = (await next(after)).map(({ id }) => id)
    const last = ids.at(-1)
    if (last === undefined) return false
    await work(ids)
    after = last
    return ids.length === SLICE
  }
}

/** After a slice, others get at least this long to write. */
const REST_MS = 2

/** Repeats a step until it has nothing left to do, with a rest in real time as long as each step took. */
export async function finishStep(step: Step, clock: Pick<Clock, 'elapsed'>): Promise<void> {
  for (;;) {
    const began = clock.elapsed()
    const more = await step().catch((error: unknown) => {
      if (error instanceof RowLocked) return true
      throw error
    })
    if (!more) return
    const ms = Math.max(REST_MS, clock.elapsed() - began)
    await new Promise((resolve) => setTimeout(resolve, ms))
  }
}
