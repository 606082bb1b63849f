import { type Micros, micros, ZERO } from '@wigwag/contract'
import type { EpochMs } from '../domain/ids.ts'
import { available } from '../domain/money/ledger.ts'
import type { Tx } from '../platform/database/database.ts'
import { SLICE } from '../platform/database/slices.ts'
import { forgetReferences } from './references.ts'
import { creditWallet, debitWallet, lockWallet } from './wallets.ts'

/** Takes all that is not held off a wallet. Returns how much that was. */
export async function emptyWallet(tx: Tx, walletId: string, now: EpochMs): Promise<Micros> {
  const amount = available(await lockWallet(tx, walletId))
  if (amount <= 0) return ZERO
  await debitWallet(tx, walletId, amount, now)
  return amount
}

/**
 * Deletes a slice of a wallet's entries, the newest first, so that the chain is whole after each slice. The last slice
 * leaves one credit of `start`. Where more is held than the entries that are left cover, a credit covers it. Returns
 * whether there is more to delete.
 */
export async function forgetEntries(
  tx: Tx,
  walletId: string,
  { start, now }: { start: Micros; now: EpochMs },
): Promise<boolean> {
  const { entries, held } = await lockWallet(tx, walletId)
  const kept = Math.max(0, entries - SLICE)
  const [oldest] = await tx.run<{ before: Micros }>(
    'SELECT balance_before AS before FROM ledger WHERE wallet_id = $1 AND seq = $2',
    [walletId, kept + 1],
  )
  await tx.run('DELETE FROM ledger WHERE wallet_id = $1 AND seq > $2 AND seq <= $3', [
    walletId,
    kept,
    entries,
  ])
  await forgetReferences(tx, walletId, kept)
  const posted = oldest?.before ?? ZERO
  const wanted = Math.max(held, kept === 0 ? start : 0)
  // The wallet may never hold more than it has, so the hold is lifted while the entries change.
  await tx.run('UPDATE wallets SET posted = $1, held = 0, entries = $2 WHERE id = $3', [
    posted,
    kept,
    walletId,
  ])
  if (wanted > posted) await creditWallet(tx, walletId, micros(wanted - posted), now)
  await tx.run('UPDATE wallets SET held = $1 WHERE id = $2', [held, walletId])
  return kept > 0
}
