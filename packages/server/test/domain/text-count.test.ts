import { describe, expect, it } from 'vitest'
import { plainNumber } from '../../src/kernel/phone/phone.ts'
import { beyondGsm, countText, fillOf, segmentsOf } from '../../src/kernel/text/segments.ts'

describe('countText', () => {
  it('says what a text takes, and what the characters beyond the GSM alphabet cost', () => {
    const text = 'Maakye Abena! Wo adeɛ no bɛba ɔkyena anɔpa nnɔn nkron. Yɛda wo ase paa.'
    expect(countText(text)).toEqual({
      segments: '2 segments',
      characters: '71 of 134 characters',
      encoding: 'UCS-2',
      cause: {
        what: '“ɛ” and 1 other character are not in the GSM alphabet.',
        effect: 'With them this text takes 2 segments, without them 1.',
      },
    })
  })

  it('speaks of room where another alphabet would save no segment', () => {
    expect(countText('Akwaaba 🎉').cause).toEqual({
      what: '“🎉” is not in the GSM alphabet.',
      effect: 'With it a segment holds 70 characters, without it 160.',
    })
  })

  it('counts the other characters', () => {
    expect(countText('ɛɔŋ').cause?.what).toBe('“ɛ” and 2 other characters are not in the GSM alphabet.')
  })

  it('does not say that a text without any of its characters would take no segment', () => {
    expect(countText('ɛ'.repeat(71)).cause?.effect).toBe(
      'With it a segment holds 70 characters, without it 160.',
    )
  })

  it.each([
    ['', '0 segments', '0 of 160 characters'],
    ['a', '1 segment', '1 of 160 characters'],
    ['€', '1 segment', '2 of 160 characters'],
    ['a'.repeat(160), '1 segment', '160 of 160 characters'],
    ['a'.repeat(161), '2 segments', '161 of 306 characters'],
    ['a'.repeat(1_530), '10 segments', '1,530 of 1,530 characters'],
  ])('counts a text of GSM-7: %#', (text, segments, characters) => {
    expect(countText(text)).toEqual({ segments, characters, encoding: 'GSM-7' })
  })
})

describe('fillOf', () => {
  it('never says that more is used than there is room for', () => {
    for (let length = 0; length <= 700; length++) {
      for (const text of ['a', '€', 'ɛ', '🎉'].map((character) => character.repeat(length))) {
        const { used, room } = fillOf(text, segmentsOf(text))
        expect(used <= room, `${text.slice(0, 2)} × ${length}`).toBe(true)
      }
    }
  })
})

describe('beyondGsm', () => {
  it('names each character once, whole', () => {
    expect(beyondGsm('a🎉b🎉ɛ€')).toEqual(['🎉', 'ɛ'])
  })
})

describe('plainNumber', () => {
  it.each([
    ['233241234567', '233241234567'],
    ['+233 24 123 4567', '233241234567'],
    ['  +233-24-123-4567 ', '233241234567'],
    ['+233 (24) 123.4567', '233241234567'],
    ['00 233 24 123 4567', '233241234567'],
    ['\u202a+233\u00a024\u2011123\u20114567\u202c', '233241234567'],
    ["'233241234567", '233241234567'],
    ['0241234567', '0241234567'],
    ['2.33241E+11', '233241E+11'],
    ['Ama', 'Ama'],
  ])('tidies %j into %s', (written, plain) => {
    expect(plainNumber(written)).toBe(plain)
  })
})
