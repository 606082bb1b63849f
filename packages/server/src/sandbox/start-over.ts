import type { Micros } from '@wigwag/contract'
import { type Audit, actorOfCaller } from '../audit/index.ts'
import { forgetTotals } from '../messages/index.ts'
import { forgetEntries } from '../money/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { finishStep, type Step } from '../platform/database/slices.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { forgetSends } from '../privacy/index.ts'

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
  run(caller: WalletPrincipal): Promise<boolean>
}

/** Deletes an account's messages and all that came of them, its totals and its ledger, slice by slice. */
export function createStartOver({ database, clock, audit, start }: StartOverOptions): StartOver {
  const running = new Set<string>()
  const slice = (work: (tx: Tx) => Promise<boolean>): Step => {
    return () => database.write(work, { patient: true })
  }

  return {
    isRunning: (accountId) => running.has(accountId),
    async run(caller) {
      const { accountId, wallet } = caller
      const walletId = wallet.id
      if (running.has(accountId)) return false
      running.add(accountId)
      try {
        for (const step of forgetSends(database, { accountId, walletId })) await finishStep(step, clock)
        await finishStep(
          slice((tx) => forgetTotals(tx, walletId)),
          clock,
        )
        await finishStep(
          slice((tx) => forgetEntries(tx, walletId, { start, now: clock.now() })),
          clock,
        )
        const actor = actorOfCaller(caller)
        await database.write((tx) => audit(tx, { actor, action: 'sandbox.start-over', accountId }))
      } finally {
        running.delete(accountId)
      }
      return true
    },
  }
}
