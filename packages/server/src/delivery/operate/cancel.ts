import type { EpochMs, Ticket } from '../../domain/ids.ts'
import type { Changes } from '../../platform/changes.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { createFinishOne } from '../finish/finish.ts'

export interface CancelScheduledParts {
  database: Database
  clock: Clock
  changes: Pick<Changes, 'note'>
  newId(now: EpochMs): string
}

/** Cancels a message that is scheduled and gives its hold back, for an operator. False when its time has come. */
export function createCancelScheduled(parts: CancelScheduledParts): (ticket: Ticket) => Promise<boolean> {
  const { database, clock, changes, newId } = parts
  const finishOne = createFinishOne(database)
  return async function cancelScheduled(ticket) {
    const ending = { ticket, status: 'cancelled', carrierRef: '', submittedAt: 0 } as const
    const { settled, walletIds } = await finishOne(ending, {
      now: clock.now(),
      newId,
      async onlyIf({ run, locks }) {
        const rows = await run(
          `SELECT id FROM outbox WHERE id = $1 AND kind = 'scheduled' ${locks.forUpdate}`,
          [ticket],
        )
        return rows.length > 0
      },
      async record() {},
    })
    for (const id of walletIds) changes.note(id)
    return settled.length > 0
  }
}
