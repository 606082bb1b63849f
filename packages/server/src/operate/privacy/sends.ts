import { forgetCallbacks, forgetCallbacksAbout, forgetOldCallbacks } from '../../callbacks/index.ts'
import { forgetLateReceipts } from '../../delivery/index.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { Retention } from '../../kernel/time/spans.ts'
import { forgetFinal, forgetOld, forgetOpen, noteForgotten } from '../../messages/index.ts'
import { forgetRepliesOf, type KeyOwner } from '../../messages/sending/index.ts'
import { settleWallet } from '../../money/index.ts'
import { pruneAudit } from '../../store/audit/index.ts'
import type { Database, Tx } from '../../store/database.ts'
import { SLICE, type Step } from '../../store/slices.ts'

/**
 * Deletes a wallet's messages and all that came of them, except its money and its totals. The books balance after each
 * slice, so an interrupted run leaves nothing inconsistent, and the next one continues. A message that is accepted
 * meanwhile, by a page or by another process, is deleted whole or stays. Finish each step before the next.
 */
export function forgetSends(database: Database, owner: KeyOwner, slice = SLICE): Step[] {
  const { walletId } = owner
  return [
    forgetRepliesOf(database, owner),
    // From here on, only what is accepted meanwhile becomes final and has new callbacks.
    () => database.write((tx) => open(tx, walletId, slice), { patient: true }),
    walkFrom(database, '', (tx, after) => forgetCallbacks(tx, walletId, after, slice)),
    walkFrom(database, 0, (tx, from) => final(tx, walletId, from, slice)),
  ]
}

async function open(tx: Tx, walletId: string, slice: number): Promise<boolean> {
  const { held, more } = await forgetOpen(tx, walletId, slice)
  if (held > 0) await settleWallet(tx, walletId, { posted: 0, released: held, entries: 0 })
  return more
}

async function final(tx: Tx, walletId: string, from: number, slice: number): Promise<number | undefined> {
  const { tickets, last } = await forgetFinal(tx, walletId, from, slice)
  await forgetLateReceipts(tx, tickets)
  // Of a message that was accepted meanwhile and is final already. A callback without its message is never posted.
  await forgetCallbacksAbout(tx, tickets)
  return last
}

/** The tasks that delete what the operator keeps for a number of days. Nothing is deleted that has no such number. */
export function retentionTasks(
  { database, clock }: { database: Database; clock: Pick<Clock, 'now'> },
  retain: Retention,
): Step[] {
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

/** Goes through the rows from where the step before ended. */
function walkFrom<Place>(
  database: Database,
  first: Place,
  work: (tx: Tx, place: Place) => Promise<Place | undefined>,
): Step {
  let place = first
  return async function step() {
    const next = await database.write((tx) => work(tx, place), { patient: true })
    place = next ?? place
    return next !== undefined
  }
}
