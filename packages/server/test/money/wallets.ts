import { setImmediate as turn } from 'node:timers/promises'
import { type Micros, micros } from '@wigwag/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as ledger from '../../src/kernel/money/ledger.ts'
import { creditWallet, holdAmounts, settleWallet } from '../../src/money/wallets.ts'
import type { Store } from '../support/engine.ts'
import { makeWallets, NOW, walletState } from '../support/rows-of.ts'

export function wallets(store: Store): void {
  const hold = (walletId: string, ...amounts: number[]) =>
    store.database.write((tx) => holdAmounts(tx, walletId, amounts.map(micros)))

  describe('a hold', () => {
    it('is never promised twice by fifty that come at once', async () => {
      await makeWallets(store.database, { w: 300 })
      const handles = [store.database, store.another()]
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          handles[index % 2]?.write((tx) => holdAmounts(tx, 'w', [micros(10)])),
        ),
      )
      expect(results.flatMap((result) => result?.covered ?? []).filter(Boolean)).toHaveLength(30)
      expect(await walletState(store.database, 'w')).toMatchObject({ posted: 300, held: 300 })
    })

    it('covers what it can in order, each amount wholly or not at all', async () => {
      await makeWallets(store.database, { w: 100 })
      const result = await hold('w', 40, 70, 60, 1, 0)
      expect(result).toEqual({ posted: 100, covered: [true, false, true, false, true], available: 100 })
      expect(await walletState(store.database, 'w')).toMatchObject({ posted: 100, held: 100 })
    })

    it('may take the last micro, and not one more', async () => {
      await makeWallets(store.database, { w: 9e15 })
      expect((await hold('w', 9e15)).covered).toEqual([true])
      expect(await hold('w', 1)).toMatchObject({ covered: [false], available: 0 })
    })
  })

  it('goes where the rules of the ledger say, over any sequence of holds, posts, voids and credits', async () => {
    const amount = fc.integer({ min: 0, max: 400 }).map(micros)
    const steps = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('hold'), amounts: fc.array(amount, { minLength: 1, maxLength: 4 }) }),
        fc.record({ kind: fc.constantFrom('post', 'void'), amounts: fc.constant([]) }),
        fc.record({ kind: fc.constant('credit'), amounts: fc.tuple(amount) }),
      ),
      { maxLength: 25 },
    )
    let runs = 0
    await fc.assert(
      fc.asyncProperty(amount, steps, async (opening, sequence) => {
        const id = `w${runs++}`
        await makeWallets(store.database, { [id]: opening })
        let model: ledger.Wallet = { posted: opening, held: micros(0) }
        let entries = 1
        const open: Micros[] = []
        for (const { kind, amounts } of sequence) {
          if (kind === 'hold') {
            const before = model
            const covered = amounts.map((each) => {
              const after = ledger.hold(model, each)
              if (after) open.push(each)
              model = after ?? model
              return after !== undefined
            })
            const result = await hold(id, ...amounts)
            const available = covered.every(Boolean) ? undefined : ledger.available(before)
            expect(result).toEqual({ posted: before.posted, covered, available })
          } else if (kind === 'credit') {
            const [added = micros(0)] = amounts
            model = ledger.credit(model, added).wallet
            entries++
            await store.database.write((tx) => creditWallet(tx, id, added, NOW))
          } else {
            const settled = open.shift()
            if (settled === undefined) continue
            const posts = kind === 'post'
            const { before } = await store.database.write((tx) =>
              settleWallet(tx, id, {
                posted: posts ? settled : 0,
                released: settled,
                entries: posts ? 1 : 0,
              }),
            )
            expect(before).toEqual(model)
            model = (posts ? ledger.post : ledger.voidHold)(model, settled).wallet
            if (posts) entries++
          }
          expect(await walletState(store.database, id)).toEqual({ ...model, entries })
        }
      }),
      { numRuns: 15 },
    )
  })

  describe('wallets', () => {
    it('settle in a chain without gaps while credits come in between', async () => {
      await makeWallets(store.database, { w: 1_000 })
      await hold('w', 500)
      const handles = [store.database, store.another()]
      const seqs = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          handles[index % 2]?.write(async (tx) => {
            if (index % 4 === 0) {
              await creditWallet(tx, 'w', micros(1), NOW)
              return []
            }
            const { nextSeq } = await settleWallet(tx, 'w', { posted: 20, released: 30, entries: 2 })
            return [nextSeq, nextSeq + 1]
          }),
        ),
      )
      const credits = await store.database.read(({ run }) =>
        run<{ seq: number }>('SELECT seq FROM ledger WHERE wallet_id = $1', ['w']),
      )
      const all = [...seqs.flatMap((seq) => seq ?? []), ...credits.map(({ seq }) => seq)].sort(
        (a, b) => a - b,
      )
      expect(all).toEqual(Array.from({ length: 36 }, (_, index) => index + 1))
      expect(await walletState(store.database, 'w')).toEqual({ posted: 705, held: 50, entries: 36 })
    })

    it('that two batches lock in opposite orders let both batches through', async () => {
      await makeWallets(store.database, { a: 1_000, b: 1_000 })
      const both = (first: string, second: string) =>
        store.database.write(async (tx) => {
          if (store.engine === 'PostgreSQL') await tx.run('SET LOCAL deadlock_timeout = 10', [])
          await holdAmounts(tx, first, [micros(1)])
          for (let turns = 0; turns < 20; turns++) await turn()
          await holdAmounts(tx, second, [micros(1)])
        })
      await Promise.all([both('a', 'b'), both('b', 'a')])
      expect(await walletState(store.database, 'a')).toMatchObject({ held: 2 })
      expect(await walletState(store.database, 'b')).toMatchObject({ held: 2 })
    })

    it('refuse to end below zero', async () => {
      await makeWallets(store.database, { w: 100 })
      const settling = store.database.write((tx) =>
        settleWallet(tx, 'w', { posted: 101, released: 0, entries: 1 }),
      )
      await expect(settling).rejects.toThrow(/check/i)
      expect(await walletState(store.database, 'w')).toMatchObject({ posted: 100, held: 0 })
    })
  })
}
