import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { epochMs, type Ticket } from '../../../src/kernel/ids.ts'
import { findWallet } from '../../../src/money/wallets.ts'
import { insertRows, updateRows } from '../../../src/store/rows.ts'
import type { Store } from '../../support/engine.ts'
import { makeWallets, NOW } from '../../support/rows-of.ts'

const RECEIVED = { by: ['id', 'carrierRef'], set: ['status', 'receivedAt'] } as const

export function rows(store: Store): void {
  describe('rows', () => {
    it.each([0, 1, 7, 64, 65, 1_000])('go in whole and as they were: %d at once', async (count) => {
      const made = Array.from({ length: count }, (_, index) => ({
        id: `id-${String(index).padStart(5, '0')}`,
        messageId: `message-${index}` as Ticket,
        carrierRef: `'"\\ ${index} ü€😀 $1 ?`,
        status: 'success',
        receivedAt: epochMs(NOW + index),
      }))
      await store.database.write((tx) => insertRows(tx, tx.t.lateReceipts, made))
      const found = await store.database.read(({ db, t }) =>
        db.select().from(t.lateReceipts).orderBy(t.lateReceipts.id),
      )
      expect(found).toEqual(made)
    })

    it.each([0, 1, 7, 64, 65, 200])(
      'are updated where all that finds them fits: %d at once',
      async (count) => {
        const made = Array.from({ length: count }, (_, index) => ({
          id: `id-${String(index).padStart(5, '0')}`,
          messageId: 'message' as Ticket,
          carrierRef: index % 3 === 0 ? 'another' : 'same',
          status: 'success',
          receivedAt: NOW,
        }))
        const wanted = made.map((row, index) => ({
          ...row,
          carrierRef: 'same',
          status: `failed ${index} ü€😀 $1 ?`,
          receivedAt: epochMs(NOW + index),
        }))
        const found = await store.database.write(async (tx) => {
          const { lateReceipts } = tx.t
          await insertRows(tx, lateReceipts, made)
          await updateRows(tx, lateReceipts, [...wanted].reverse(), RECEIVED)
          return tx.db.select().from(lateReceipts).orderBy(lateReceipts.id)
        })
        expect(found).toEqual(made.map((row, index) => (row.carrierRef === 'same' ? wanted[index] : row)))
      },
    )

    it('go in together or not at all', async () => {
      const row = { id: 'same', messageId: 'm' as Ticket, carrierRef: '', status: 'success', receivedAt: NOW }
      const others = Array.from({ length: 80 }, (_, index) => ({ ...row, id: `other-${index}` }))
      const failing = store.database.write((tx) => insertRows(tx, tx.t.lateReceipts, [row, ...others, row]))
      await expect(failing).rejects.toThrow(/unique|duplicate/i)
      expect(await store.database.read(({ db, t }) => db.select().from(t.lateReceipts))).toEqual([])
    })
  })

  describe('money', () => {
    it.each([0, 1, 2 ** 31, 2 ** 32 + 1, 9e15, Number.MAX_SAFE_INTEGER])(
      'of %d micros stays exact',
      async (amount) => {
        await makeWallets(store.database, { exact: amount })
        const [plain] = await store.database.read(({ run }) =>
          run<{ posted: number }>('SELECT posted FROM wallets WHERE id = $1', ['exact']),
        )
        expect(plain?.posted).toBe(amount)
        const built = await store.database.read((tx) => findWallet(tx, 'exact'))
        expect(built?.posted).toBe(micros(amount))
        const [entry] = await store.database.read(({ db, t }) => db.select().from(t.ledger))
        expect(entry).toMatchObject({
          seq: 1,
          amount,
          balanceBefore: 0,
          balanceAfter: amount,
          messageId: null,
        })
      },
    )
  })
}
