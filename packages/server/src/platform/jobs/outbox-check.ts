import type { EpochMs } from '../../domain/ids.ts'
import type { Tx } from '../database/database.ts'
import { type JobKind, SET_ASIDE_AFTER } from './outbox.ts'

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
