import type { Micros } from '@wigwag/contract'
import type { EpochMs } from '../domain/ids.ts'
import type { Wallet } from '../domain/money/ledger.ts'
import type { Tx } from '../platform/database/database.ts'
import { entryOf, insertReference } from './references.ts'
import { creditWallet, debitWallet, lockWallet } from './wallets.ts'

/** Above this, a number of micros is not exact. */
export const MOST_IN_WALLET = Math.floor(Number.MAX_SAFE_INTEGER / 1_000_000)

/** An entry that an operator makes by hand. */
export interface Booking {
  kind: 'credit' | 'debit'
  amount: Micros
  /** Makes it once: a second booking of the same under this name changes nothing. */
  reference: string | undefined
}

/**
 * `made`: the wallet after it. `repeated`: it was made before, at a time. `other`: the reference belongs to another
 * entry. `short`: less can be spent. Nothing changes but for `made`.
 */
export type Booked =
  | { result: 'made' | 'short'; wallet: Wallet }
  | { result: 'repeated'; wallet: Wallet; at: EpochMs }
  | { result: 'other'; wallet: Wallet; at: EpochMs; earlier: Pick<Booking, 'kind' | 'amount'> }

/** Credits or debits a wallet, at most once for each reference. */
export async function book(
  tx: Tx,
  walletId: string,
  { kind, amount, reference }: Booking,
  now: EpochMs,
): Promise<Booked> {
  const { entries, ...wallet } = await lockWallet(tx, walletId)
  const entry = reference === undefined ? undefined : await entryOf(tx, walletId, reference)
  if (entry) {
    const earlier = { kind: entry.kind === 'credit' ? 'credit' : 'debit', amount: entry.amount } as const
    const at = entry.createdAt
    const isSame = earlier.kind === kind && earlier.amount === amount
    return isSame ? { result: 'repeated', wallet, at } : { result: 'other', wallet, at, earlier }
  }
  const change = kind === 'credit' ? creditWallet : debitWallet
  const after = await change(tx, walletId, amount, now)
  if (!after) return { result: 'short', wallet }
  if (reference !== undefined) await insertReference(tx, { walletId, reference, seq: entries + 1 })
  return { result: 'made', wallet: after }
}
