import { describe, expect, it } from 'vitest'
import { isCurrency } from '../../src/kernel/money/currencies.ts'
import { sampleRates } from '../../src/kernel/money/rates.ts'

describe('a currency', () => {
  it.each(['GHS', 'NGN', 'XOF', 'EUR', 'USD', 'KES', 'ZWG'])('is %s', (code) => {
    expect(isCurrency(code)).toBe(true)
  })

  it.each(['GHC', 'DEM', 'ZWL', 'XXX', 'XTS', 'XAU', 'GHX', 'ghs', 'GH', ''])('is not %j', (code) => {
    expect(isCurrency(code)).toBe(false)
  })

  it('is the one of each built-in price, and known to the engine', () => {
    const known = new Set(Intl.supportedValuesOf('currency'))
    const all = Array.from({ length: 26 ** 3 }, (_, n) =>
      [n / 676, n / 26, n].map((part) => String.fromCharCode(65 + (Math.floor(part) % 26))).join(''),
    ).filter(isCurrency)
    expect(all.length).toBeGreaterThan(140)
    // The engine learns of a new currency later than this list.
    expect(all.filter((code) => !known.has(code) && code !== 'XCG' && code !== 'ZWG')).toEqual([])
    expect(sampleRates('GHS').every(({ currency }) => isCurrency(currency))).toBe(true)
  })
})
