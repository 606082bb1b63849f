import { describe, expect, it } from 'vitest'
import { NETWORKS } from '../../src/kernel/phone/networks.ts'
import { parseRecipient } from '../../src/kernel/phone/phone.ts'

const nameOf = (to: string) => parseRecipient(to).network?.name

describe('the network of a number', () => {
  it.each([
    ['233241234567', 'MTN'],
    ['233591234567', 'MTN'],
    ['233201234567', 'Telecel'],
    ['233571234567', 'AT'],
    ['2348031234567', 'MTN'],
    ['254712345678', 'Safaricom'],
    ['254741234567', 'Safaricom'],
    ['27821234567', 'Vodacom'],
    ['447400123456', 'Three'],
    ['2250712345678', 'Orange'],
  ])('finds where %s began: %s', (to, name) => {
    expect(nameOf(to)).toBe(name)
  })

  it('lets the longest prefix win', () => {
    expect(nameOf('27711234567')).toBe('Vodacom')
    expect(nameOf('27710234567')).toBe('MTN')
  })

  it('knows no network outside the listed ranges', () => {
    expect(nameOf('233302123456')).toBeUndefined()
    expect(nameOf('254744123456')).toBeUndefined()
    expect(nameOf('12125550123')).toBeUndefined()
  })

  it('finds each of its own prefixes again, in a number of the right country', () => {
    for (const network of NETWORKS) {
      for (const prefix of network.prefixes) {
        const longest = ['1234567', '12345678', '123456', '12345', '123456789']
          .map((tail) => prefix + tail)
          .find((to) => isPossible(to))
        if (longest === undefined)
          throw new Error(`expected numbers to begin with ${prefix}, found none possible`)
        const found = parseRecipient(longest)
        expect([longest, found.country]).toEqual([longest, network.country])
        expect(found.network?.prefixes.some((known) => longest.startsWith(known))).toBe(true)
      }
    }
  })

  it('has one name for one network code', () => {
    const names = new Map<string, string>()
    for (const { mcc, mnc, name } of NETWORKS) {
      expect(names.get(mcc + mnc) ?? name).toBe(name)
      names.set(mcc + mnc, name)
    }
  })
})

function isPossible(to: string): boolean {
  try {
    return parseRecipient(to).digits === to
  } catch {
    return false
  }
}
