import { describe, expect, it } from 'vitest'
import {
  balance,
  book,
  CHARGE,
  CREDIT,
  DELIVERED,
  failed,
  ledger,
  OPENING,
  ok,
  search,
  seen,
  troublesBy,
  unknown,
} from './hand-made.ts'
import { checkLedgers } from './ledger.ts'

const troubles = troublesBy(checkLedgers)

const inTheEnd = (...entries: Parameters<typeof ledger>[2]) => ledger(11, [1_020, 1_021], entries)
const part = (began: number, ...entries: Parameters<typeof ledger>[2]) =>
  ledger(20, [began, began + 1], entries, false)

describe('the ledger', () => {
  it('finds nothing where there is nothing', () => {
    expect(troubles(part(112, CREDIT, OPENING))).toEqual([])
  })

  it('never gets shorter, and never changes', () => {
    const early = part(112, CHARGE, CREDIT, OPENING)
    expect(troubles(early, ledger(21, [114, 115], [CREDIT, OPENING], false))).toEqual([
      'w: the ledger had 3 entries, then 2',
    ])
    const long = ledger(21, [110, 116], [CHARGE, CREDIT, OPENING], false)
    expect(troubles(long, part(114, CREDIT, OPENING))).toEqual([])
    const other = { ...CREDIT, amount: 400, after: 1_400 }
    expect(troubles(part(112, other, OPENING))[0]).toMatch(/^w: entry 2 was .*400.*, then .*500/)
  })

  it('is a chain without gaps', () => {
    expect(troubles(part(152, CHARGE, OPENING))[0]).toMatch(
      'entry 3 begins at 1500, after entry 1 ended at 1000',
    )
    expect(troubles(part(152, { ...CHARGE, after: 1_450 }))[0]).toMatch(
      'a charge of 100, leads from 1500 to 1450',
    )
  })

  it('charges each delivered message once, and no other', () => {
    const twice = { ...CHARGE, seq: 4, before: 1_400, after: 1_300 }
    expect(troubles(inTheEnd(twice, CHARGE, CREDIT, OPENING))).toContain('w: t1 was charged 2 times')
    expect(troubles(inTheEnd(CREDIT, OPENING))).toContain('w: t1 was delivered, and not charged')
    const expired = search(10, [1_010, 1_011], [seen('t1', 'a', 'expired')])
    expect(troubles(expired)).toContain('w: t1 was charged, and not delivered')
  })

  it('charges the price, as the message says', () => {
    const cheap = search(10, [1_010, 1_011], [{ ...DELIVERED, cost: 90, after: 1_410 }])
    expect(troubles(cheap)).toEqual(['w: t1 cost 90, and its charge is another', 'w: t1 cost 90'])
  })

  it('has each booking once that was acknowledged, and none that was refused', () => {
    expect(troubles(inTheEnd(OPENING))).toContain('w: the credit 500 is there 0 times')
    const credit = { kind: 'credit', amount: 500, reference: 'r' } as const
    expect(troubles(book(6, [100, 110], credit, unknown))).toEqual([])
    expect(troubles(book(6, [100, 110], credit, failed('short')))).toEqual([
      'w: the credit 500 is there 1 times',
    ])
    const again = { ...CREDIT, seq: 4, before: 1_400, after: 1_900 }
    expect(troubles(inTheEnd(again, CHARGE, CREDIT, OPENING))).toContain('w: the credit 500 is there 2 times')
    const other = { ...again, amount: 7, after: 1_407 }
    expect(troubles(inTheEnd(other, CHARGE, CREDIT, OPENING))).toContain(
      'w: a credit 7 is there and was not asked for',
    )
    expect(
      troubles(book(20, [112, 114], { ...credit, amount: 9, reference: 's' }, ok({ repeated: false }))),
    ).toEqual(['w: the credit 9 is there 0 times'])
  })

  it('ends at the balance', () => {
    expect(troubles(balance(9, [1_000, 1_001], 1_300))).toEqual([
      "w: the balance is 1300 in the end, and the ledger's 1400",
    ])
  })

  it('is to be read in the end', () => {
    expect(troubles(ledger(11, [800, 810], [CHARGE, CREDIT, OPENING]))).toHaveLength(1)
  })
})
