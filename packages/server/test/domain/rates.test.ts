import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { buildRateTable, priceFor, type Rate, sampleRates } from '../../src/kernel/money/rates.ts'
import { parseRecipient } from '../../src/kernel/phone/phone.ts'

const mtn = parseRecipient('233241234567')
const telecel = parseRecipient('233201234567')
const fixed = parseRecipient('233302123456')
const french = parseRecipient('33612345678')

const ghana: Rate = { country: 'GH', price: micros(45_000), currency: 'GHS' }
const ghanaMtn: Rate = { ...ghana, mcc: '620', mnc: '01', network: 'MTN Ghana', price: micros(40_000) }

describe('priceFor', () => {
  it("asks the network's own price first, then its country's, whatever the order of the list", () => {
    for (const rates of [
      [ghana, ghanaMtn],
      [ghanaMtn, ghana],
    ]) {
      const table = buildRateTable(rates)
      expect(priceFor(table, mtn, 'GHS')).toEqual({ country: 'GH', network: 'MTN Ghana', unitPrice: 40_000 })
      expect(priceFor(table, telecel, 'GHS')).toEqual({
        country: 'GH',
        network: 'Telecel',
        unitPrice: 45_000,
      })
      expect(priceFor(table, fixed, 'GHS')).toEqual({ country: 'GH', network: undefined, unitPrice: 45_000 })
    }
  })

  it('has no price where there is no rate', () => {
    const table = buildRateTable([ghanaMtn])
    expect(priceFor(table, mtn, 'GHS')?.unitPrice).toBe(40_000)
    expect(priceFor(table, telecel, 'GHS')).toBeUndefined()
    expect(priceFor(table, french, 'GHS')).toBeUndefined()
    expect(priceFor(table, mtn, 'EUR')).toBeUndefined()
    expect(priceFor(buildRateTable([]), mtn, 'GHS')).toBeUndefined()
  })

  it('keeps currencies apart', () => {
    const table = buildRateTable([ghana, { ...ghana, currency: 'EUR', price: micros(3_750) }])
    expect(priceFor(table, mtn, 'GHS')?.unitPrice).toBe(45_000)
    expect(priceFor(table, mtn, 'EUR')?.unitPrice).toBe(3_750)
  })

  it('lets a later rate correct an earlier one', () => {
    const table = buildRateTable([
      ghanaMtn,
      ghana,
      { ...ghana, price: micros(1) },
      { ...ghanaMtn, price: micros(2) },
    ])
    expect(priceFor(table, telecel, 'GHS')?.unitPrice).toBe(1)
    expect(priceFor(table, mtn, 'GHS')?.unitPrice).toBe(2)
  })

  it("ignores a network's rate under another country", () => {
    const table = buildRateTable([ghana, { ...ghanaMtn, country: 'NG' }])
    expect(priceFor(table, mtn, 'GHS')?.unitPrice).toBe(45_000)
  })

  it('tells an island from the mainland that shares its calling code', () => {
    const table = buildRateTable([
      { country: 'US', price: micros(7_000), currency: 'USD' },
      { country: 'JM', price: micros(90_000), currency: 'USD' },
    ])
    expect(priceFor(table, parseRecipient('12125550123'), 'USD')?.unitPrice).toBe(7_000)
    expect(priceFor(table, parseRecipient('18765550123'), 'USD')?.unitPrice).toBe(90_000)
  })
})

describe('buildRateTable', () => {
  it('refuses half a network code, which would pass for a default', () => {
    expect(() => buildRateTable([{ ...ghana, mcc: '620' }])).toThrow('expected both mcc and mnc or neither')
    expect(() => buildRateTable([{ ...ghana, mnc: '01' }])).toThrow('expected both mcc and mnc or neither')
  })

  it('takes a price of nothing', () => {
    const table = buildRateTable([{ ...ghana, price: micros(0) }])
    expect(priceFor(table, mtn, 'GHS')?.unitPrice).toBe(0)
  })

  it("gives no price to another country's networks", () => {
    const nigerian = parseRecipient('2348031234567')
    expect(nigerian.network?.country).toBe('NG')
    expect(priceFor(buildRateTable([ghana]), nigerian, 'GHS')).toBeUndefined()
  })

  it('gives no price by a network code of another country', () => {
    const nigerian = parseRecipient('2348031234567')
    const { mcc = '', mnc = '' } = nigerian.network ?? {}
    expect(priceFor(buildRateTable([{ ...ghana, mcc, mnc }]), nigerian, 'GHS')).toBeUndefined()
    expect(priceFor(buildRateTable([{ ...ghanaMtn, mcc }]), mtn, 'GHS')).toBeUndefined()
  })

  it('refuses a negative price', () => {
    expect(() => buildRateTable([{ ...ghana, price: micros(-1) }])).toThrow(
      'expected a price of zero or more',
    )
  })
})

describe('sampleRates', () => {
  it.each(['GHS', 'EUR', 'USD'])('prices some forty countries in %s, each with one default', (currency) => {
    const rates = sampleRates(currency)
    const defaults = rates.filter((rate) => rate.mcc === undefined)
    expect(new Set(defaults.map((rate) => rate.country)).size).toBe(defaults.length)
    expect(defaults.length).toBeGreaterThanOrEqual(40)
    expect(rates.every((rate) => rate.currency === currency && rate.price > 0)).toBe(true)
  })

  it('prices each named network, under a code that the number ranges know', () => {
    const rates = sampleRates('GHS')
    const table = buildRateTable(rates)
    expect(priceFor(table, mtn, 'GHS')).toEqual({ country: 'GH', network: 'MTN', unitPrice: 42_000 })
    expect(priceFor(table, telecel, 'GHS')).toEqual({ country: 'GH', network: 'Telecel', unitPrice: 45_000 })
    const priced = new Set([...(table.currencies.get('GHS')?.networks.values() ?? [])])
    for (const rate of rates.filter((rate) => rate.mcc !== undefined)) {
      const quote = { country: rate.country, network: rate.network, unitPrice: rate.price }
      expect([...priced]).toContainEqual(quote)
    }
  })

  it('has no sample in any other currency', () => {
    expect(sampleRates('XAU')).toEqual([])
  })
})
