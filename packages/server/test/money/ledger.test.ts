import { micros } from '@wigwag/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import type { WalletPrincipal } from '../../src/kernel/principal.ts'
import { ledgerPage } from '../../src/money/ledger.ts'
import { findWallet, type LedgerRow } from '../../src/money/wallets.ts'
import { insertRows } from '../../src/store/rows.ts'
import { type Store, useStore } from '../support/engine.ts'
import { makeWallets, NOW } from '../support/rows-of.ts'

const WALLET = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'
const ENTRIES = 300
const A_MINUTE = 60_000

/** A ledger in which each entry is half a minute after the one before, but may have waited almost a minute. */
async function fill({ database }: Store): Promise<{ principal: WalletPrincipal; rows: LedgerRow[] }> {
  await makeWallets(database, { [WALLET]: 1 })
  const waits = fc.sample(fc.integer({ min: 0, max: A_MINUTE - 1 }), { numRuns: ENTRIES, seed: 7 })
  const rows = waits.map(
    (wait, index): LedgerRow => ({
      walletId: WALLET,
      seq: index + 2,
      kind: 'credit',
      amount: micros(1),
      balanceBefore: micros(index + 1),
      balanceAfter: micros(index + 2),
      messageId: null,
      createdAt: epochMs(NOW + (index * A_MINUTE) / 2 + A_MINUTE - wait),
    }),
  )
  const wallet = await database.write(async (tx) => {
    await insertRows(tx, tx.t.ledger, rows)
    await tx.run('UPDATE wallets SET entries = $1, posted = $2', [ENTRIES + 1, ENTRIES + 1])
    return findWallet(tx, WALLET)
  })
  if (!wallet) throw new Error('the wallet was made above')
  const principal = { accountId: `account-${WALLET}`, clientId: 'client', wallet, senders: new Map() }
  return { principal, rows }
}

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('a range of a ledger on %s', (engine) => {
  const store = useStore(engine)

  it('has every entry of its time, though transactions wait and commit in another order', async () => {
    const { principal, rows } = await fill(store)
    const moment = fc.integer({ min: NOW - A_MINUTE, max: NOW + (ENTRIES + 2) * (A_MINUTE / 2) }).map(epochMs)
    const ranges = fc.sample(fc.tuple(moment, moment), { numRuns: 40, seed: 11 })
    for (const [from, before] of ranges) {
      const expected = rows.filter(({ seq, createdAt }) => seq > 1 && createdAt >= from && createdAt < before)
      const page = await ledgerPage(
        store.database,
        principal,
        { from, before },
        { cursor: undefined, limit: ENTRIES + 1 },
      )
      const found = page.items.filter(({ seq }) => seq > 1)
      expect(found.map(({ seq }) => seq)).toEqual(expected.map(({ seq }) => seq).reverse())
    }
  })
})
