import { asc, eq, inArray } from 'drizzle-orm'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { Tx } from '../../../src/store/database.ts'
import { insertRows } from '../../../src/store/rows.ts'
import type { Store } from '../../support/engine.ts'
import { makeWallets } from '../../support/rows-of.ts'

export function builder(store: Store): void {
  describe('the query builder', () => {
    it('finds, changes and deletes rows', async () => {
      await makeWallets(store.database, { one: 1, two: 2, three: 3 })
      const found = await store.database.write(async ({ db, t }) => {
        const changed = await db
          .update(t.wallets)
          .set({ currency: 'NGN' })
          .where(inArray(t.wallets.id, ['one', 'two']))
          .returning({ id: t.wallets.id })
        await db.update(t.accounts).set({ status: 'suspended' }).where(eq(t.accounts.id, 'account-two'))
        await db.delete(t.ledger).where(eq(t.ledger.walletId, 'three'))
        const joined = await db
          .select({ id: t.wallets.id, currency: t.wallets.currency, status: t.accounts.status })
          .from(t.wallets)
          .innerJoin(t.accounts, eq(t.accounts.id, t.wallets.accountId))
          .orderBy(asc(t.wallets.id))
          .limit(2)
          .offset(1)
        const entries = await db
          .select({ of: t.ledger.walletId })
          .from(t.ledger)
          .orderBy(asc(t.ledger.walletId))
        return { changed: changed.map(({ id }) => id).sort(), joined, entries }
      })
      expect(found).toEqual({
        changed: ['one', 'two'],
        joined: [
          { id: 'three', currency: 'GHS', status: 'active' },
          { id: 'two', currency: 'NGN', status: 'suspended' },
        ],
        entries: [{ of: 'one' }, { of: 'two' }],
      })
    })

    it('answers for lists of more lengths than stay prepared', async () => {
      const ids = Array.from({ length: 130 }, (_, index) => `name-${index}`)
      const lengths = [...ids.keys(), 0, 1, 129]
      const found = await store.database.write(async (tx) => {
        const { settings } = tx.t
        const stored = ids.map((name) => ({ name, value: '' }))
        await insertRows(tx, settings, stored)
        const counts: number[] = []
        for (const length of lengths) {
          const wanted = inArray(settings.name, ids.slice(0, length))
          counts.push((await tx.db.select().from(settings).where(wanted)).length)
        }
        return counts
      })
      expect(found).toEqual(lengths)
    })

    it('has no insert, since the two engines differ in what a row may leave out', () => {
      expectTypeOf<keyof Tx['db']>().toEqualTypeOf<'select' | 'update' | 'delete'>()
    })
  })
}
