import type { Micros } from '@wigwag/contract'
import type { Audit } from '../audit/index.ts'
import { forgetCallbacks, forgetCallbacksAbout } from '../callbacks/index.ts'
import { forgetLateReceipts } from '../delivery/index.ts'
import { forgetFinal, forgetOpen, forgetTotals } from '../messages/index.ts'
import { forgetEntries, settleWallet } from '../money/index.ts'
import type { Clock } from '../platform/clock.ts'
import { type Database, RowLocked, type Tx } from '../platform/database/database.ts'
import type { Step } from '../platform/database/slices.ts'
import { forgetRepliesOf } from '../sending/index.ts'

export interface StartOverOptions {
  database: Database
  clock: Clock
  audit: Audit
  /** What the wallet holds afterwards. */
  start: Micros
}

export interface StartOver {
  /** Whether this process is deleting the account's data. Its requests are refused meanwhile. */
  isRunning(accountId: string): boolean
  /** Deletes all that an account has sent, and sets its wallet back. False when that is under way already. */
  run(account: { accountId: string; walletId: string }): Promise<boolean>
}

/** After a slice, others get at least this long to write. */
const REST_MS = 2

/**
 * Deletes an account's messages and all that came of them, slice by slice. The books are even after each slice, so
 * nothing is left in disorder when it is cut off: the next run goes on. A message that is accepted meanwhile, by a page
 * or by another process, is deleted whole or stays.
 */
export function createStartOver({ database, clock, audit, start }: StartOverOptions): StartOver {
  const running = new Set<string>()

  /** Repeats a step until it has nothing left to do, with a rest as long as each step took. */
  async function finish(step: Step): Promise<void> {
    for (;;) {
      const began = clock.elapsed()
      const more = await step().catch((error: unknown) => {
        if (error instanceof RowLocked) return true
        throw error
      })
      if (!more) return
      await rest(Math.max(REST_MS, clock.elapsed() - began))
    }
  }

  const slice = (work: (tx: Tx) => Promise<boolean>): Step => {
    return () => database.write(work, { patient: true })
  }

  async function open(tx: Tx, walletId: string): Promise<boolean> {
    const { held, more } = await forgetOpen(tx, walletId)
    if (held > 0) await settleWallet(tx, walletId, { posted: 0, released: held, entries: 0 })
    return more
  }

  /** Goes through the rows from where the step before ended. */
  function walk<Place>(first: Place, work: (tx: Tx, place: Place) => Promise<Place | undefined>): Step {
    let place = first
    return async function step() {
      const next = await database.write((tx) => work(tx, place), { patient: true })
      place = next ?? place
      return next !== undefined
    }
  }

  async function final(tx: Tx, walletId: string, from: number): Promise<number | undefined> {
    const { tickets, last } = await forgetFinal(tx, walletId, from)
    await forgetLateReceipts(tx, tickets)
    // Of a message that was accepted meanwhile and is final already. A callback without its message is never posted.
    await forgetCallbacksAbout(tx, tickets)
    return last
  }

  return {
    isRunning: (accountId) => running.has(accountId),
    async run({ accountId, walletId }) {
      if (running.has(accountId)) return false
      running.add(accountId)
      try {
        await finish(forgetRepliesOf(database, walletId))
        // From here on, only what is accepted meanwhile becomes final and has new callbacks.
        await finish(slice((tx) => open(tx, walletId)))
        await finish(walk('', (tx, after) => forgetCallbacks(tx, walletId, after)))
        await finish(walk(0, (tx, from) => final(tx, walletId, from)))
        await finish(slice((tx) => forgetTotals(tx, walletId)))
        await finish(slice((tx) => forgetEntries(tx, walletId, { start, now: clock.now() })))
        await database.write((tx) => audit(tx, { actor: 'portal', action: 'sandbox.start-over', accountId }))
      } finally {
        running.delete(accountId)
      }
      return true
    },
  }
}

/** Pauses in real time, whatever the sandbox's clock says. */
function rest(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
