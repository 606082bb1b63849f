import type { Micros } from '@wigwag/contract'
import { available } from '../../domain/money/ledger.ts'
import { findWallet } from '../../money/index.ts'
import type { Database } from '../../platform/database/database.ts'
import type { WalletPrincipal } from '../../platform/http/principal.ts'

/** What a wallet can spend now. */
export async function spendable(database: Database, { wallet }: WalletPrincipal): Promise<Micros> {
  const found = await database.read((tx) => findWallet(tx, wallet.id))
  if (!found) throw new Error(`there is no wallet ${wallet.id}`)
  return available(found)
}
