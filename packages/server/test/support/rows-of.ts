import { micros } from '@wigwag/contract'
import { insertAccount } from '../../src/accounts/accounts.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { creditWallet } from '../../src/money/wallets.ts'
import type { Database } from '../../src/store/database.ts'

export const NOW = epochMs(1_700_000_000_000)

/** Accounts with a wallet each, named after their wallet. */
export async function makeWallets(database: Database, balances: Record<string, number>): Promise<void> {
  await database.write(async (tx) => {
    for (const [id, balance] of Object.entries(balances)) {
      const account = { id: `account-${id}`, name: id, email: `${id}@example.com` }
      await insertAccount(
        tx,
        {
          account,
          owner: { id: `person-${id}`, passwordHash: undefined, by: 'operator:tests' },
          client: { id: `client-${id}` },
          wallet: { id, currency: 'GHS' },
          keys: [],
          senders: [],
        },
        NOW,
      )
      await creditWallet(tx, id, micros(balance), NOW)
    }
  })
}

export interface WalletState {
  posted: number
  held: number
  entries: number
}

export async function walletState(database: Database, id: string): Promise<WalletState> {
  const rows = await database.read(({ run }) =>
    run<WalletState>('SELECT posted, held, entries FROM wallets WHERE id = $1', [id]),
  )
  const [state] = rows
  if (!state) throw new Error(`there is no wallet ${id}`)
  return state
}
