import { micros, toDecimal } from '../domain/money.ts'
import type { Database } from '../store/database.ts'
import { brokenEntries, countLedger, type UnevenWallet, unevenWallets } from '../store/ledger-check.ts'
import type { Finding } from './finding.ts'

/** More of them would not say more. */
const MOST = 20

/** Whether the money is all there: no gap in any wallet's chain, and every wallet is the sum of its rows. */
export async function checkLedger(database: Database): Promise<Finding[]> {
  const broken = await database.read((connection) => brokenEntries(connection, MOST))
  const uneven = await database.read((connection) => unevenWallets(connection, MOST))
  const { wallets, entries } = await database.read(countLedger)
  const findings: Finding[] = [
    ...broken.map(
      ({ walletId, seq }) => `wallet ${walletId}: entry ${seq} does not follow the one before it`,
    ),
    ...uneven.map(unevenness),
  ].map((detail) => ({ check: 'ledger', state: 'fail', detail }))
  if (findings.length > 0) return findings
  const detail = `${wallets} wallets and ${entries} entries: no gap, and everything adds up`
  return [{ check: 'ledger', state: 'ok', detail }]
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
