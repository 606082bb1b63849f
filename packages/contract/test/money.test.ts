import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatAmount, fromDecimal, micros, microsOfSum, parseAmount, toDecimal, ZERO } from '../src/money.ts'

/** Up to here a JSON number tells every micro from the next: 2³³ units. */
const EXACT = 2 ** 33 * 1_000_000

describe('micros', () => {
  it('accepts whole numbers, also negative ones', () => {
    expect(micros(45_000)).toBe(45_000)
    expect(micros(-1)).toBe(-1)
    expect(Object.is(micros(-0), ZERO)).toBe(true)
  })

  it.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('refuses %s', (n) => {
    expect(() => micros(n)).toThrow(new RangeError(`expected a whole, safe number of micros, got ${n}`))
  })
})

describe('a sum for a report', () => {
  it('may be more than any wallet holds, and is a whole number', () => {
    expect(microsOfSum(2 ** 60)).toBe(2 ** 60)
    expect(() => microsOfSum(0.5)).toThrow(new RangeError('expected a whole number of micros, got 0.5'))
  })
})

describe('toDecimal', () => {
  it('writes major units', () => {
    expect(toDecimal(micros(45_000))).toBe(0.045)
    expect(JSON.stringify(toDecimal(micros(50_000_000)))).toBe('50')
    expect(JSON.stringify(toDecimal(micros(1)))).toBe('0.000001')
  })

  it('loses no micro on the way through JSON and back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: EXACT }), (n) => {
        expect(parseAmount(JSON.stringify(toDecimal(micros(n))))).toBe(n)
        expect(toDecimal(micros(-n)) + toDecimal(micros(n))).toBe(0)
      }),
      { numRuns: 10_000 },
    )
  })
})

describe('fromDecimal', () => {
  it('takes nothing, and a billion, for a price', () => {
    expect(fromDecimal(0)).toBe(0)
    expect(fromDecimal(1_000_000_000)).toBe(10 ** 15)
    expect(fromDecimal(1_000_000_001)).toBeUndefined()
    expect(fromDecimal(-0.000_001)).toBeUndefined()
  })

  it('reads back every price that toDecimal writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000_000_000_000 }), (n) => {
        expect(fromDecimal(toDecimal(micros(n)))).toBe(n)
      }),
    )
  })

  it.each([-0.01, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000_001, '5', null])('refuses %j', (amount) => {
    expect(fromDecimal(amount)).toBeUndefined()
  })
})

describe('parseAmount', () => {
  it.each([
    ['50', 50_000_000],
    ['0.045', 45_000],
    ['0', 0],
    ['0.000001', 1],
    ['007.10', 7_100_000],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER],
  ])('reads %s', (text, expected) => {
    expect(parseAmount(text)).toBe(expected)
  })

  it.each(['', ' 1', '1 ', '1\n', '-1', '+1', '1,5', '.5', '5.', '1e3', '0.0000001', '0x10', '٣', 'NaN'])(
    'refuses %j, and says what it expected and what came',
    (text) => {
      expect(() => parseAmount(text)).toThrow(
        `expected an amount such as 50 or 0.045, with at most 6 decimals, got ${JSON.stringify(text)}`,
      )
    },
  )

  it.each(['9007199254.740992', '9007199255', '1'.repeat(400)])(
    'refuses %s, which is too large to be exact',
    (text) => {
      expect(() => parseAmount(text)).toThrow('expected an amount below 9007199254')
    },
  )
})

describe('formatAmount', () => {
  it.each([
    [5_000_000, '5.00'],
    [45_000, '0.045'],
    [500_000, '0.50'],
    [0, '0.00'],
    [1, '0.000001'],
    [-1_230_000, '-1.23'],
  ])('writes %s micros as %s', (n, text) => expect(formatAmount(micros(n))).toBe(text))

  it('is read back as the same amount', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (n) => {
        expect(parseAmount(formatAmount(micros(n)))).toBe(n)
      }),
    )
  })
})
