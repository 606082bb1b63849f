import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkContent, MAX_SEGMENTS } from '../../server/src/kernel/text/segments.ts'
import { openSandbox } from '../../server/src/testing/sandbox.ts'
import { countSegments } from '../src/segments/index.ts'

/** Pieces of texts: where they meet, segments are counted in different ways. */
const pieces = [
  ...'@£$¥èΔΩß !"#¤%&09AZaz\n\r',
  ...'\f^{}\\[~]|€',
  ...'ç中Жע`–“\t😀🚀𝒳𠮷',
  '👨‍👩‍👧',
  '🇬🇭',
  'e\u0301',
  '👍🏽',
  '\r\n',
  'a'.repeat(50),
  'ж'.repeat(60),
  '€'.repeat(70),
  '😀'.repeat(30),
  'plain '.repeat(25),
]
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(...pieces), minLength: 1, maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(...'abc€'), minLength: 1, maxLength: 400 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
)

/** How the gateway charges a text; undefined if it refuses it. */
function charged(text: string) {
  try {
    return checkContent(text)
  } catch {
    return undefined
  }
}

describe('countSegments', () => {
  it('counts 20,000 texts as the gateway charges them', () => {
    let accepted = 0
    for (const text of fc.sample(texts, { numRuns: 20_000, seed: 20_261_120 })) {
      const count = countSegments(text)
      const charge = charged(text)
      if (charge) accepted++
      // The gateway refuses nothing of these but what is too long.
      if (
        charge
          ? charge.segments !== count.segments || charge.encoding !== count.encoding
          : count.segments <= MAX_SEGMENTS
      )
        expect([text, count]).toEqual([text, charge])
    }
    expect(accepted).toBeGreaterThan(18_000)
  })

  it('counts as a running gateway answers', async () => {
    const { client, close } = await openSandbox({})
    try {
      for (const Content of fc.sample(texts, { numRuns: 50, seed: 7 })) {
        const count = countSegments(Content)
        const answer = await client.estimateCost({ To: '233241234567', Content }).catch((error) => error.code)
        const { segments, encoding, unicodeCause } = count
        const expected = {
          Segments: segments,
          Encoding: encoding,
          ...(unicodeCause && { UnicodeCause: unicodeCause }),
        }
        if (segments > MAX_SEGMENTS) expect(answer).toBe('content_too_long')
        else expect(answer).toMatchObject(expected)
      }
    } finally {
      await close()
    }
  })

  it.each([
    ['a'.repeat(160), 1],
    ['a'.repeat(161), 2],
    ['a'.repeat(1530), 10],
    ['a'.repeat(1531), 11],
    ['€'.repeat(80), 1],
    ['€'.repeat(81), 2],
    ['€'.repeat(760), 10],
    ['€'.repeat(761), 11],
    ['ж'.repeat(670), 10],
    ['ж'.repeat(671), 11],
    ['😀'.repeat(35), 1],
    ['😀'.repeat(330), 10],
    ['😀'.repeat(331), 11],
    ['👨‍👩‍👧'.repeat(8), 1],
    ['👨‍👩‍👧'.repeat(9), 2],
    ['', 0],
  ])('counts at the limits (case %#)', (text, segments) => {
    expect(countSegments(text).segments).toBe(segments)
  })
})
