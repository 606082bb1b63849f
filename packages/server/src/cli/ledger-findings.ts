import { micros, toDecimal } from '../domain/money.ts'
import type { ReadOnlyDatabase } from '../store/database.ts'
import { brokenEntries, countLedger, type UnevenWallet, unevenWallets } from '../store/ledger-check.ts'
import { fail, ok, type Verdict } from './finding.ts'

/** More of them would not say more. */
const MOST = 20

/** Whether the money is all there: no gap in any wallet's chain, and every wallet is the sum of its rows. */
export async function checkLedger(database: ReadOnlyDatabase): Promise<Verdict | Verdict[]> {
  const broken = await database.read((connection) => brokenEntries(connection, MOST))
  const uneven = await database.read((connection) => unevenWallets(connection, MOST))
  const { wallets, entries } = await database.read(countLedger)
  const wrong = [
    ...broken.map(
      ({ walletId, seq }) => `wallet ${walletId}: entry ${seq} does not follow the one before it`,
    ),
    ...uneven.map(unevenness),
  ]
  if (wrong.length > 0) return wrong.map(fail)
  return ok(`${wallets} wallets and ${entries} entries: no gap, and everything adds up`)
}

function unevenness({ walletId, posted, entered, held, promised }: UnevenWallet): string {
  if (posted !== entered)
    return `wallet ${walletId}: says ${decimal(posted)}, its entries add up to ${decimal(entered)}`
  if (held !== promised) {
    return `wallet ${walletId}: holds ${decimal(held)}, its messages under way cost ${decimal(promised)}`
  }
  return `wallet ${walletId}: counts another number of entries than it has`
}

function decimal(amount: number): number {
  return toDecimal(micros(amount))
}
