import { forgetCallbacks, forgetCallbacksAbout } from '../callbacks/index.ts'
import { forgetLateReceipts } from '../delivery/index.ts'
import { forgetFinal, forgetOpen } from '../messages/index.ts'
import { settleWallet } from '../money/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Step } from '../platform/database/slices.ts'
import { forgetRepliesOf, type KeyOwner } from '../sending/index.ts'

/**
 * Deletes a wallet's messages and all that came of them, except its money and its totals. The books balance after each
 * slice, so an interrupted run leaves nothing inconsistent, and the next one continues. A message that is accepted meanwhile,
 * by a page or by another process, is deleted whole or stays. Finish each step before the next.
 */
export function forgetSends(database: Database, owner: KeyOwner): Step[] {
  const { walletId } = owner
  return [
    forgetRepliesOf(database, owner),
    // From here on, only what is accepted meanwhile becomes final and has new callbacks.
    () => database.write((tx) => open(tx, walletId), { patient: true }),
    walkFrom(database, '', (tx, after) => forgetCallbacks(tx, walletId, after)),
    walkFrom(database, 0, (tx, from) => final(tx, walletId, from)),
  ]
}

async function open(tx: Tx, walletId: string): Promise<boolean> {
  const { held, more } = await forgetOpen(tx, walletId)
  if (held > 0) await settleWallet(tx, walletId, { posted: 0, released: held, entries: 0 })
  return more
}

async function final(tx: Tx, walletId: string, from: number): Promise<number | undefined> {
  const { tickets, last } = await forgetFinal(tx, walletId, from)
  await forgetLateReceipts(tx, tickets)
  // Of a message that was accepted meanwhile and is final already. A callback without its message is never posted.
  await forgetCallbacksAbout(tx, tickets)
  return last
}

/** Goes through the rows from where the step before ended. */
export function walkFrom<Place>(
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
