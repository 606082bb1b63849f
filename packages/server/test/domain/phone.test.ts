import { deepEqual } from 'node:assert/strict'
import { recipientDigits } from '@wigwag/contract'
import fc from 'fast-check'
import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import metadata from 'libphonenumber-js/min/metadata'
import examples from 'libphonenumber-js/mobile/examples'
import { describe, expect, it } from 'vitest'
import {
  dialled,
  groupsOf,
  lastDigitsOf,
  parseRecipient,
  phoneOf,
  recipientOf,
} from '../../src/kernel/phone/phone.ts'
import { problemOf } from './problem-of.ts'

const callingCodes = [...Object.keys(metadata.country_calling_codes), ...Object.keys(metadata.nonGeographic)]
const sharedCodes = Object.entries(metadata.country_calling_codes)
  .filter(([, countries]) => countries.length > 1)
  .map(([code]) => code)
/** A real mobile number of every country, as its calling code and its national digits. */
const mobiles = Object.entries(metadata.countries).flatMap(([country, plan]) => {
  const national = Object.entries(examples).find(([name]) => name === country)?.[1]
  return national === undefined ? [] : [[String(plan[0]), String(national)] as const]
})

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max })

const numbers = fc.oneof(
  // Anything, any calling code, and the shared ones again because they are the hard ones.
  fc.tuple(fc.constantFrom(...'123456789'), digits(6, 14)).map(([first, rest]) => first + rest),
  fc.tuple(fc.constantFrom(...callingCodes), digits(4, 14)).map(([code, national]) => code + national),
  fc.tuple(fc.constantFrom(...sharedCodes), digits(4, 14)).map(([code, national]) => code + national),
  // Real numbers with the end changed, and with the prefixes that people dial at home left in.
  fc.tuple(fc.constantFrom(...mobiles), digits(0, 5)).map(([[code, national], tail]) => {
    return code + national.slice(0, national.length - tail.length) + tail
  }),
  fc
    .tuple(fc.constantFrom(...mobiles), fc.constantFrom('0', '1', '8', '06', '00', '15', '90'))
    .map(([[code, national], prefix]) => code + prefix + national),
)

describe('parseRecipient', () => {
  it('gives the verdict, number and country that libphonenumber gives', () => {
    fc.assert(
      fc.property(numbers, (to) => {
        fc.pre(/^[1-9][0-9]{6,14}$/.test(to))
        // `expect` would take as long as all the rest.
        deepEqual(ours(to), theirs(to))
      }),
      { numRuns: 25_000 },
    )
  })

  it('accepts a real mobile number of every country, and names that country', () => {
    for (const [code, national] of mobiles) {
      expect(ours(code + national)).toEqual(theirs(code + national))
    }
    expect(mobiles.length).toBeGreaterThan(230)
  })

  it.each([
    ['233241234567', 'GH'],
    ['2348031234567', 'NG'],
    ['447400123456', 'GB'],
    ['447911123456', 'GG'],
    ['447624222222', 'IM'],
    ['12125550123', 'US'],
    ['14165550123', 'CA'],
    ['18765550123', 'JM'],
    ['79161234567', 'RU'],
    ['77011234567', 'KZ'],
    ['8816012345678', '001'],
  ])('knows that %s is in %s', (to, country) => {
    expect(parseRecipient(to)).toMatchObject({ digits: to, country })
  })

  it('names the main country where a shared calling code leaves it open', () => {
    expect(parseRecipient('15555555555').country).toBe('US')
    expect(parseRecipient('13101234567').country).toBe('US')
  })

  it('takes a national prefix out, so that a number is one recipient however it was written', () => {
    expect(parseRecipient('2330241234567')).toMatchObject({ digits: '233241234567', country: 'GH' })
  })

  it.each([
    '+233241234567',
    '233 24 123 4567',
    '+233-24-123-4567',
    '+233\u00a024\u202f123\u20114567',
    '233\u201024 1234567',
  ])('takes %j, and makes digits of it', (to) => {
    expect(parseRecipient(to)).toMatchObject({ digits: '233241234567', country: 'GH' })
    expect(phoneOf(to)).toBe('233241234567')
  })

  it.each([
    ['++233241234567', 'with nothing but a leading + and single blanks or hyphens'],
    ['+ 233241234567', 'with nothing but a leading + and single blanks or hyphens'],
    ['233 (24) 123-4567', 'with nothing but a leading + and single blanks or hyphens'],
    ['233.24.123.4567', 'with nothing but a leading + and single blanks or hyphens'],
    ['233241234567-', 'with nothing but a leading + and single blanks or hyphens'],
    ['0241234567', 'which is never 0'],
    ['+0241234567', 'which is never 0'],
    ['', 'got ""'],
    ['123456', 'Expected 7 to 15 digits'],
    ['1234567890123456', 'Expected 7 to 15 digits'],
    ['23324123456a', 'Expected 7 to 15 digits'],
    ['233241234567\n', 'with nothing but a leading + and single blanks or hyphens'],
    ['٢٣٣٢٤١٢٣٤٥٦٧', 'Expected 7 to 15 digits'],
    ['2'.repeat(5000), '…'],
    ['2100000000', 'begins with none'],
    ['23324123456', undefined],
    ['2332412345', 'no number there has 7 digits after 233'],
  ])('answers %j with what it expected', (to, detail) => {
    if (detail === undefined) return expect(parseRecipient(to).country).toBe('GH')
    const problem = problemOf(() => parseRecipient(to))
    expect(problem.code).toBe('invalid_recipient')
    expect(problem.message).toContain(detail)
    expect(problem.message.length).toBeLessThan(200)
  })
})

describe('phoneOf', () => {
  it('gives each spelling of a number the same phone, with whose last digits each of them ends', () => {
    fc.assert(
      fc.property(numbers, (to) => {
        fc.pre(/^[1-9][0-9]{6,14}$/.test(to))
        const phone = phoneOf(to)
        deepEqual([phoneOf(phone), phoneOf(dialled(to))], [phone, phone])
        deepEqual(to.slice(-lastDigitsOf(phone).length), lastDigitsOf(phone))
      }),
      { numRuns: 25_000 },
    )
  })

  it.each([
    ['2330241234567', '233241234567'],
    ['233241234567', '233241234567'],
    ['25500621299297', '255621299297'],
    ['erased', 'erased'],
  ])('of %s is %s', (number, phone) => expect(phoneOf(number)).toBe(phone))
})

describe('recipientOf', () => {
  it('tells again what parseRecipient told', () => {
    fc.assert(
      fc.property(numbers, (to) => {
        const parsed = orImpossible(() => parseRecipient(to))
        fc.pre(parsed !== 'impossible')
        deepEqual(recipientOf(recipientDigits(to)), parsed)
      }),
      { numRuns: 10_000 },
    )
  })
})

function ours(to: string) {
  return orImpossible(() => {
    const { digits, country } = parseRecipient(to)
    return { digits, country }
  })
}

function orImpossible<T>(work: () => T): T | 'impossible' {
  try {
    return work()
  } catch {
    return 'impossible'
  }
}

function theirs(to: string) {
  const parsed = parsePhoneNumberFromString(`+${to}`)
  if (!parsed?.isPossible()) return 'impossible'
  const main = metadata.country_calling_codes[parsed.countryCallingCode]?.[0] ?? '001'
  return { digits: parsed.number.slice(1), country: parsed.country ?? main }
}

describe('the groups of a number', () => {
  it('are its country code and parts that are easy to read, and a word stays whole where a number was erased', () => {
    expect(groupsOf('233241234567')).toEqual(['233', '24', '123', '4567'])
    expect(groupsOf('erased')).toEqual(['erased'])
  })
})
