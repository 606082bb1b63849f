import type { Connection, Value } from './database.ts'

/** How many rows one transaction looks at or deletes: a few milliseconds on SQLite, where all other writes wait. */
export const SLICE = 1_000

/** Does one slice of a long task and says whether there may be more. */
export type Step = () => Promise<boolean>

/** Rows that are no longer needed, in the order of the index that finds them. */
export interface Outdated {
  table: string
  key: string
  where: string
  values: readonly Value[]
  orderBy: string
}

/**
 * Deletes one slice of outdated rows. Rows that another process has locked are skipped: it is deleting or changing
 * them. The selection is materialized for the same reason as a claim of the outbox.
 */
export async function deleteSlice(
  { run, locks }: Connection,
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
 * Walks through a table in the order of its key, for rows that no index finds: each step works on the ids that `next`
 * reads after those of the step before.
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
