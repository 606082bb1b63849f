import { type Micros, micros } from '@wigwag/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  available,
  credit,
  type Entry,
  hold,
  post,
  voidHold,
  type Wallet,
} from '../../src/kernel/money/ledger.ts'

const wallet = (posted: number, held: number): Wallet => ({ posted: micros(posted), held: micros(held) })

describe('the wallet', () => {
  it('can spend what is posted and not held', () => {
    expect(available(wallet(100, 30))).toBe(70)
  })

  it('promises the last micro, and not one more', () => {
    expect(hold(wallet(100, 30), micros(70))).toEqual(wallet(100, 100))
    expect(hold(wallet(100, 30), micros(71))).toBeUndefined()
  })

  it('takes a held amount when it posts, and tells the balance before and after', () => {
    expect(post(wallet(100, 30), micros(30))).toEqual({ wallet: wallet(70, 0), before: 100, after: 70 })
  })

  it('releases a held amount when it voids, with the same balance before and after', () => {
    expect(voidHold(wallet(100, 30), micros(30))).toEqual({ wallet: wallet(100, 0), before: 100, after: 100 })
  })

  it('never settles more than it holds', () => {
    const refusal = new RangeError('expected to settle at most the 30 micros held, got 31')
    expect(() => post(wallet(100, 30), micros(31))).toThrow(refusal)
    expect(() => voidHold(wallet(100, 30), micros(31))).toThrow(refusal)
  })

  it('never moves a negative amount', () => {
    for (const move of [hold, post, voidHold, credit]) {
      expect(() => move(wallet(100, 30), micros(-1))).toThrow(
        new RangeError('expected an amount of zero or more micros, got -1'),
      )
    }
  })

  it('keeps every rule over any sequence of holds, posts, voids and credits', () => {
    const steps = fc.array(
      fc.record({
        kind: fc.constantFrom('hold', 'hold', 'post', 'void', 'credit'),
        amount: fc.integer({ min: 0, max: 400 }),
        pick: fc.nat(),
      }),
      { maxLength: 120 },
    )
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1000 }), steps, (opening, sequence) => {
        let current = wallet(opening, 0)
        let paid = 0
        let credited = 0
        let end: Micros = current.posted
        const open: Micros[] = []
        const settle = (entry: Entry) => {
          expect(entry.before).toBe(end)
          expect(entry.after).toBe(entry.wallet.posted)
          end = entry.after
          current = entry.wallet
        }
        for (const { kind, amount, pick } of sequence) {
          const spendable = available(current)
          if (kind === 'hold') {
            const next = hold(current, micros(amount))
            expect(next === undefined).toBe(amount > spendable)
            if (next) open.push(micros(amount))
            current = next ?? current
          } else if (kind === 'credit') {
            credited += amount
            settle(credit(current, micros(amount)))
          } else {
            const [held] = open.splice(pick % Math.max(open.length, 1), 1)
            if (held === undefined) continue
            if (kind === 'post') paid += held
            settle(kind === 'post' ? post(current, held) : voidHold(current, held))
          }
          expect(available(current)).toBeGreaterThanOrEqual(0)
          expect(current.held).toBe(open.reduce<number>((sum, held) => sum + held, 0))
          expect(current.posted).toBe(opening + credited - paid)
        }
      }),
      { numRuns: 2_000 },
    )
  })
})
