import { pruneAudit } from '../audit/index.ts'
import { forgetCallbacksAbout, forgetOldCallbacks } from '../callbacks/index.ts'
import { forgetLateReceipts } from '../delivery/index.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Retention } from '../domain/retention.ts'
import { forgetOld, noteForgotten } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Step } from '../platform/database/slices.ts'
import { walkFrom } from './sends.ts'

export interface RetentionOptions {
  database: Database
  clock: Pick<Clock, 'now'>
  retain: Retention
}

/** The tasks that delete what the operator keeps for a number of days. Nothing is deleted that has no such number. */
export function retentionTasks({ database, clock, retain }: RetentionOptions): Step[] {
  const now = clock.now()
  const task = (keepMs: number | undefined, make: (before: EpochMs) => Step): Step[] =>
    keepMs === undefined ? [] : [make(epochMs(Math.max(0, now - keepMs)))]
  return [
    ...task(retain.messagesMs, (before) => oldMessages(database, before)),
    ...task(retain.callbacksMs, (before) =>
      walkFrom(database, '', (tx, after) => forgetOldCallbacks(tx, before, after)),
    ),
    ...task(
      retain.auditMs,
      (before) => () => database.write((tx) => pruneAudit(tx, before), { patient: true }),
    ),
  ]
}

/** Deletes final messages with all that names them, except ledger entries and running totals. */
function oldMessages(database: Database, before: EpochMs): Step {
  return walkFrom(database, '', async (tx, after) => {
    if (after === '') await noteForgotten(tx, before)
    const forgotten = await forgetOld(tx, before, after)
    if (!forgotten) return undefined
    await forgetCallbacksAbout(tx, forgotten.tickets)
    await forgetLateReceipts(tx, forgotten.tickets)
    return forgotten.last
  })
}
