import { describe, expect, it } from 'vitest'
import { readWritten } from '../../src/kernel/phone/national.ts'

const toOf = (text: string, country: string) => {
  const read = readWritten(text, country)
  return read.as === 'national' ? read.to : read.as
}

describe('a number as people of a country write it', () => {
  it.each([
    ['024 123 4567', 'GH', '+233241234567'],
    ['(024) 123-4567', 'GH', '+233241234567'],
    // A spreadsheet took the 0 away.
    ['241234567', 'GH', '+233241234567'],
    ['0803 123 4567', 'NG', '+2348031234567'],
    ['0712 345678', 'KE', '+254712345678'],
    ['(415) 555-2671', 'US', '+14155552671'],
    ['1 415 555 2671', 'US', 'it stands'],
    ['06 12345678', 'IT', '+390612345678'],
    ['8 916 123-45-67', 'RU', '+79161234567'],
    ['06 30 123 4567', 'HU', '+36301234567'],
    ['0171 2345678', 'DE', '+491712345678'],
    ['07 01 23 45 67', 'CI', '+2250701234567'],
  ])('%s in %s is %s', (text, country, to) => {
    expect(toOf(text, country)).toBe(to)
  })

  it.each([
    '+233 24 123 4567',
    '00233 24 123 4567',
    '233241234567',
    '233 024 123 4567',
    '4915112345678',
    '+1',
  ])('is left as it stands as %s: it has a country code, or is nothing that can be helped', (text) => {
    expect(toOf(text, 'GH')).toBe('it stands')
  })

  it('is none of the country where it is dialled abroad', () => {
    expect(readWritten('011 44 20 7946 0958', 'US').as).toBe('wrong')
  })

  it.each([
    ['001 65 8123 4567', 'HK', 'wrong'],
    ['0011 687 12 34 56', 'AU', 'wrong'],
    ['0044 20 7946 0958', 'HK', 'it stands'],
    ['00 233 24 123 4567', 'RU', 'it stands'],
    ['00 1 658 123 4567', 'GH', 'it stands'],
  ])('%s in %s is %s: more than 00 may be dialled before a country code', (text, country, as) => {
    expect(readWritten(text, country).as).toBe(as)
  })

  it('is left as it stands where no country is kept, and where it is no number', () => {
    for (const text of ['024 123 4567', 'Ama', '', '\0', '0'.repeat(1_000_000)])
      expect(toOf(text, '')).toBe('it stands')
    for (const text of ['Ama', '', '\0', '٠٢٤١٢٣٤٥٦٧', '0'.repeat(1_000_000)])
      expect(toOf(text, 'GH')).toBe('it stands')
    expect(toOf('024 123 4567', 'XX')).toBe('it stands')
  })

  it.each(['024 123', '0', '112', '0241234567890'])('is refused as %s', (text) => {
    expect(readWritten(text, 'GH')).toMatchObject({
      as: 'wrong',
      why: expect.stringContaining(
        'Expected a number of Ghana, or one with a plus sign and its country code; got',
      ),
    })
  })

  it('is asked about where it may be of another country too', () => {
    expect(readWritten('612345678', 'FR')).toEqual({
      as: 'wrong',
      why: 'It may be +61 234 5678, or +33 61 234 5678 of France: write it with a plus sign and its country code.',
      meant: '+33612345678',
    })
  })

  it.each(['2,33241E+11', '2.33241E+11', ' 2,33241e11 ', '2E+11'])(
    'is refused as a spreadsheet shortened it to %s, with what to do, whatever the country',
    (text) => {
      for (const country of ['', 'GH'])
        expect(readWritten(text, country)).toMatchObject({
          as: 'wrong',
          why: expect.stringContaining(
            `to ${text.trim()}, and its last digits are gone. Format the column there as text`,
          ),
        })
    },
  )
})
