import type { EpochMs } from '../../domain/ids.ts'
import type { Tx } from '../database/database.ts'

/**
 * Lets the leases that are held now last longer, by as much as the clock is about to be moved forward: their holders are
 * still at work. A row that another transaction has locked is just being settled or renewed.
 */
export async function extendLeases({ run, locks }: Tx, now: EpochMs, ms: number): Promise<void> {
  await run(
    `WITH held AS MATERIALIZED (
       SELECT id FROM outbox WHERE lease_until > $1 ORDER BY id ${locks.skipLocked})
     UPDATE outbox SET lease_until = lease_until + $2 WHERE id IN (SELECT id FROM held)`,
    [now, ms],
  )
}
