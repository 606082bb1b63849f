import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'
import { type JobKind, SET_ASIDE_AFTER } from './outbox.ts'

export interface OutboxState {
  jobs: number
  /** Due for longer than anything waits while a server runs. */
  overdue: number
  /** Claimed by a process that never settled them. */
  lapsed: number
  /** Failed again and again, and now tried once an hour. */
  setAside: number
  /** Messages under way that no job will ever bring to an end. */
  forgotten: number
}

/** How the worker's jobs stand. */
export async function outboxState({ run }: Connection, now: EpochMs, graceMs: number): Promise<OutboxState> {
  const [row] = await run<OutboxState>(
    `SELECT (SELECT count(*) FROM outbox) AS jobs,
       (SELECT count(*) FROM outbox WHERE run_at < $1) AS overdue,
       (SELECT count(*) FROM outbox WHERE faults = 0 AND lease_until > 0 AND lease_until < $2) AS lapsed,
       (SELECT count(*) FROM outbox WHERE faults > $3) AS "setAside",
       (SELECT count(*) FROM messages m WHERE m.status IN ('pending', 'scheduled')
          AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = m.id)) AS forgotten`,
    [now - graceMs, now, SET_ASIDE_AFTER],
  )
  return row ?? { jobs: 0, overdue: 0, lapsed: 0, setAside: 0, forgotten: 0 }
}

/** How many jobs of each kind are set aside. */
export async function countSetAside({ run }: Connection): Promise<{ kind: JobKind; count: number }[]> {
  return run('SELECT kind, count(*) AS count FROM outbox WHERE faults > $1 GROUP BY kind', [SET_ASIDE_AFTER])
}
