import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'

export interface OutboxState {
  jobs: number
  /** Due for longer than anything waits while a server runs. */
  overdue: number
  /** Claimed by a process that never settled them. */
  lapsed: number
  /** Messages under way that no job will ever bring to an end. */
  forgotten: number
}

/** How the night shift stands. */
export async function outboxState({ run }: Connection, now: EpochMs, graceMs: number): Promise<OutboxState> {
  const [row] = await run<OutboxState>(
    `SELECT (SELECT count(*) FROM outbox) AS jobs,
       (SELECT count(*) FROM outbox WHERE run_at < $1) AS overdue,
       (SELECT count(*) FROM outbox WHERE lease_until > 0 AND lease_until < $2) AS lapsed,
       (SELECT count(*) FROM messages m WHERE m.status IN ('pending', 'scheduled')
          AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = m.id)) AS forgotten`,
    [now - graceMs, now],
  )
  return row ?? { jobs: 0, overdue: 0, lapsed: 0, forgotten: 0 }
}
