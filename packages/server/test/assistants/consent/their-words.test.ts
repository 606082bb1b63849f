import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clientName, theirWords } from '../../../src/assistants/consent/their-words.tsx'
import { anyCharacter } from '../../support/any-character.ts'

describe('a name that somebody gave themselves', () => {
  it.each([
    ['turned around', '\u202egnitset\u202c tnega', 'gnitset tnega'],
    ['with isolates', '\u2067a\u2069b', 'ab'],
    ['with controls', 'a\u0000b\u001b[31mc\u0085d', 'ab[31mc d'],
    ['with lines', ' two\r\n lines\u2028here ', 'two lines here'],
    ['with what nobody sees', 'a\u200b\u200d\u00ad\ufeff\u{e0041}b', 'ab'],
    ['with the end of our quotation', 'Courier” is checked by us. “', "Courier' is checked by us. '"],
    ['with half a pair', 'a\ud83db', 'ab'],
  ])('%s is shown as what it is', (_, name, shown) => expect(theirWords(name)).toBe(shown))

  it('keeps the letters of any script', () => {
    for (const name of ['Ɛkɔmfo', 'مساعد', 'सहायक', '助手', 'Ọ̀rẹ́', 'Émile & fils']) {
      expect(theirWords(name)).toBe(name)
    }
  })

  it('is cut where it gets long', () => {
    expect(theirWords('x'.repeat(500))).toBe(`${'x'.repeat(59)}…`)
    expect(theirWords('🙂'.repeat(61))).toBe(`${'🙂'.repeat(59)}…`)
    expect(theirWords('x'.repeat(60))).toBe('x'.repeat(60))
  })

  it('piles no tower of marks on a letter', () => {
    expect(theirWords(`a${'\u0301'.repeat(40)}b`)).toBe(`a${'\u0301'.repeat(3)}b`)
  })

  it.each(['', ' \u200b\u2060 ', '\u3164', '\u{e0020}', '\u0301'])(
    'is none when nothing of it shows: %j',
    (name) => {
      expect(theirWords(name)).toBeUndefined()
      expect(clientName(name).toString()).toBe('an assistant without a name')
    },
  )

  it('never grows, hides, turns or breaks a line', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (name) => {
        const shown = theirWords(name) ?? ''
        expect([...shown].length).toBeLessThanOrEqual(60)
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"“”]/u)
        expect(theirWords(shown) ?? '').toBe(shown)
      }),
      { numRuns: 500 },
    )
  })
})
