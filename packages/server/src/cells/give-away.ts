import { type MovingMark, writeMovingMark } from '../accounts/index.ts'
import { createOperatorAudit } from '../audit/index.ts'
import { emptyWallet, setWarning, type WalletRow, walletsOf } from '../money/index.ts'
import type { Owner } from './belongings.ts'
import type { Cells } from './cell.ts'
import { dropCallbackJobs, isAtRest, openOf } from './open.ts'

/**
 * Makes a copied account the target's, if it is still at rest and its wallets are what was copied: a gateway that was
 * stopped may have let in a send before. Its wallets are locked for that, and empty from then on, so that nothing can be
 * sent here afterwards.
 */
export async function giveAway({ source, target }: Cells, owner: Owner, mark: MovingMark): Promise<boolean> {
  const { accountId, walletIds } = owner
  const copied = await target.database.read((tx) => walletsOf(tx, accountId))
  return source.database.write(async (tx) => {
    const now = source.clock.now()
    await tx.run(`SELECT id FROM wallets WHERE account_id = $1 ORDER BY id ${tx.locks.forUpdate}`, [
      accountId,
    ])
    const areSame = figuresOf(await walletsOf(tx, accountId)) === figuresOf(copied)
    if (!areSame || !isAtRest(await openOf(tx, owner, now))) return false
    for (const id of walletIds) {
      await emptyWallet(tx, id, now)
      await setWarning(tx, id, undefined)
    }
    await dropCallbackJobs(tx, owner)
    await writeMovingMark(tx, accountId, { ...mark, handedOver: true })
    await createOperatorAudit(source)(tx, { action: 'account.leave', accountId, detail: { to: mark.to } })
    return true
  })
}

function figuresOf(wallets: readonly WalletRow[]): string {
  return JSON.stringify(wallets.map(({ id, posted, held, entries }) => [id, posted, held, entries]))
}
