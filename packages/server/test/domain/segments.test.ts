import fc from 'fast-check'
import { SegmentedMessage } from 'sms-segments-calculator'
import { describe, expect, it } from 'vitest'
import { checkContent, MAX_SEGMENTS, partsOf, segmentsOf } from '../../src/kernel/text/segments.ts'
import { problemOf } from './problem-of.ts'

const gsmPlain = '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./09:;<=>?¡AZÄÖÑÜ§¿azäöñüà'
const gsmEscaped = '\f^{}\\[~]|€'
/** Characters of UCS-2 that never join their neighbours into one grapheme. */
const unicode = ['ç', '中', 'Ж', 'ע', '`', '–', '“', '\t', '😀', '🚀', '𝒳', '𠮷']

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)
/** Every length near the limits of one, two and three segments, and some that are far from any. */
const lengths = [...range(1, 12), ...range(30, 40), ...range(60, 85), ...range(125, 165), ...range(295, 315)]
/** The mixtures that matter. */
const alphabets: [string, string[]][] = [
  ['plain GSM-7', [...gsmPlain]],
  ['escaped GSM-7', [...gsmEscaped]],
  ['all of GSM-7', [...gsmPlain, ...gsmEscaped]],
  ['one plain and one escaped character', ['a', '€']],
  ['one plain character and one surrogate pair', ['a', '😀']],
  ['line breaks among others', ['😀', '€', 'z', '\r', '\n']],
  ['UCS-2', unicode],
  ['GSM-7 and UCS-2', [...gsmPlain, ...unicode]],
]
/** The independent calculator takes most of a millisecond for a text: every pair is met, rather than some often. */
const TEXTS_OF_A_PAIR = 2

describe('partsOf', () => {
  const lengthsOf = (text: string, encoding: 'GSM-7' | 'UCS-2') =>
    partsOf(text, encoding).map(({ length }) => length)

  it('fills one part, or several that are shorter', () => {
    expect(partsOf('Hello', 'GSM-7')).toEqual(['Hello'])
    expect(lengthsOf('a'.repeat(160), 'GSM-7')).toEqual([160])
    expect(lengthsOf('a'.repeat(161), 'GSM-7')).toEqual([153, 8])
    expect(lengthsOf('ж'.repeat(70), 'UCS-2')).toEqual([70])
    expect(lengthsOf('ж'.repeat(71), 'UCS-2')).toEqual([67, 4])
  })

  it('cuts neither a character of two septets nor one of two code units', () => {
    expect(lengthsOf(`a${'€'.repeat(80)}`, 'GSM-7')).toEqual([77, 4])
    expect(lengthsOf('😀'.repeat(36), 'UCS-2')).toEqual([66, 6])
    expect(lengthsOf('\uffff'.repeat(71), 'UCS-2')).toEqual([67, 4])
  })
})

describe('segmentsOf', () => {
  it.each(alphabets)('agrees with an independent calculator on %s, at every length', (_, alphabet) => {
    // The oracle keeps a whole grapheme (a letter with its combining marks, a joined emoji) in one segment.
    // 3GPP TS 23.040 knows no graphemes, only code units, so here every character is a grapheme of its own;
    // the test below holds joined graphemes to the standard. The oracle also gives the empty text a segment.
    for (const length of lengths) {
      const texts = fc.array(fc.constantFrom(...alphabet), { minLength: length, maxLength: length })
      fc.assert(
        fc.property(texts, (characters) => {
          const text = characters.join('')
          const oracle = new SegmentedMessage(text, 'auto', false)
          const ours = segmentsOf(text)
          expect([ours.encoding, ours.segments]).toEqual([oracle.encodingName, oracle.segmentsCount])
        }),
        { numRuns: TEXTS_OF_A_PAIR },
      )
    }
  })

  it('counts code units, not graphemes, and splits only where a surrogate pair allows', () => {
    const joined = fc.constantFrom('👨‍👩‍👧', '🇬🇭', 'e\u0301', '👍🏽', 'a', '\r\n')
    fc.assert(
      fc.property(fc.array(joined, { minLength: 20, maxLength: 90 }), (graphemes) => {
        const text = `Ж${graphemes.join('')}`
        expect(segmentsOf(text).segments).toBe(greedy([...text], 70, 67))
      }),
      { numRuns: 1_500 },
    )
  })

  it.each([
    ['', 0],
    ['a', 1],
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(306), 2],
    ['a'.repeat(307), 3],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    [`${'a'.repeat(152)}€${'a'.repeat(151)}`, 2],
    [`${'a'.repeat(152)}€${'a'.repeat(152)}`, 3],
  ])('charges GSM-7 by 160 and 153 septets, an escape pair kept whole (case %#)', (text, segments) => {
    expect(segmentsOf(text)).toEqual({ encoding: 'GSM-7', segments })
  })

  it.each([
    ['ж'.repeat(70), 1],
    ['ж'.repeat(71), 2],
    ['ж'.repeat(134), 2],
    ['ж'.repeat(135), 3],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(36), 2],
    ['😀'.repeat(66), 2],
    ['😀'.repeat(67), 3],
    [`${'ж'.repeat(66)}😀${'ж'.repeat(66)}`, 3],
  ])('charges UCS-2 by 70 and 67 code units, a surrogate pair kept whole (case %#)', (text, segments) => {
    expect(segmentsOf(text)).toMatchObject({ encoding: 'UCS-2', segments })
  })

  it('knows all of the GSM-7 alphabet and nothing else', () => {
    const carried = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
      (character) => segmentsOf(character).encoding === 'GSM-7',
    )
    // 128 codes less the escape, and ten in the extension table.
    expect(carried).toHaveLength(127 + 10)
  })

  it('names the first character that ruled GSM-7 out, whole', () => {
    expect(segmentsOf('price 5€, 😀 ç').unicodeCause).toBe('😀')
    expect(segmentsOf('façade').unicodeCause).toBe('ç')
    expect(segmentsOf('plain')).not.toHaveProperty('unicodeCause')
  })
})

describe('checkContent', () => {
  it('returns the segmentation of a text that can be sent', () => {
    expect(checkContent('a'.repeat(153 * MAX_SEGMENTS))).toEqual({ encoding: 'GSM-7', segments: 10 })
    expect(checkContent(' ')).toEqual({ encoding: 'GSM-7', segments: 1 })
  })

  it('refuses an empty text', () => {
    expect(problemOf(() => checkContent('')).code).toBe('content_empty')
  })

  it('refuses more than ten segments, and says what made it so long', () => {
    const unicodeText = problemOf(() => checkContent(`${'a'.repeat(67 * 11)}😀`))
    expect(unicodeText.code).toBe('content_too_long')
    expect(unicodeText.message).toBe(
      "Expected at most 10 segments; got 12 segments of UCS-2 because of '😀'.",
    )
    const plainText = problemOf(() => checkContent('a'.repeat(153 * 10 + 1)))
    expect(plainText.message).toBe('Expected at most 10 segments; got 11 segments of GSM-7.')
  })

  it.each([
    ['a\0b', 'NUL'],
    ['\0', 'NUL'],
    ['a\ud83d', 'surrogate'],
    ['\ude00a', 'surrogate'],
    ['\ude00\ud83d', 'surrogate'],
  ])('refuses %j as unsendable', (text, named) => {
    const problem = problemOf(() => checkContent(text))
    expect(problem.code).toBe('content_invalid')
    expect(problem.message).toContain(named)
  })
})

/** The rule in its plainest form: fill a segment with whole characters until the next no longer fits. */
function greedy(characters: string[], single: number, part: number): number {
  const total = characters.reduce((sum, character) => sum + character.length, 0)
  if (total <= single) return 1
  let segments = 1
  let used = 0
  for (const character of characters) {
    if (used + character.length > part) {
      segments++
      used = 0
    }
    used += character.length
  }
  return segments
}
