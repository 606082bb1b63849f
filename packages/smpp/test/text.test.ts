import { GSM_ALPHABET, GSM_ESCAPE, GSM_EXTENSION, partsOf, segmentsOf } from '@wigwag/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canWrite, decodeText, encodeText } from '../src/text.ts'

const single = [...GSM_ALPHABET].filter((_, code) => code !== GSM_ESCAPE)
const gsm = fc.string({
  unit: fc.oneof(
    { arbitrary: fc.constantFrom(...single), weight: 4 },
    fc.constantFrom(...GSM_EXTENSION.values()),
  ),
  minLength: 1,
  maxLength: 700,
  // Otherwise few are longer than ten.
  size: 'max',
})
const unicode = fc.string({
  unit: fc.oneof(fc.constant('я'), fc.constant('🙂')),
  minLength: 1,
  maxLength: 400,
  size: 'max',
})

describe('the parts of a text', () => {
  it.each([
    ['GSM-7', gsm, 160, 153],
    ['UCS-2', unicode, 140, 134],
  ] as const)(
    'of %s are as many as were charged, fit, and make up the text',
    (encoding, texts, alone, each) => {
      const alphabet = encoding === 'GSM-7' ? 'gsm' : 'ucs2'
      fc.assert(
        fc.property(texts, (text) => {
          const parts = partsOf(text, encoding)
          expect(parts).toHaveLength(segmentsOf(text).segments)
          expect(parts.join('')).toBe(text)
          expect(parts.every((part) => part.isWellFormed())).toBe(true)
          const written = parts.map((part) => encodeText(part, alphabet))
          for (const part of written)
            expect(part.length).toBeLessThanOrEqual(parts.length === 1 ? alone : each)
          expect(written.map((part) => decodeText(part, alphabet)).join('')).toBe(text)
        }),
      )
    },
  )

  it('may be cut as UCS-2 where GSM-7 was charged', () => {
    expect(partsOf('a'.repeat(100), 'UCS-2').map(({ length }) => length)).toEqual([67, 33])
  })
})

describe('an alphabet', () => {
  it('writes GSM 03.38 unpacked, with an escape before the extension table', () => {
    expect(encodeText('@a€Δ_', 'gsm')).toEqual(Buffer.of(0x00, 0x61, 0x1b, 0x65, 0x10, 0x11))
  })

  it.each([
    ['gsm', 'Hello {€}', true],
    ['gsm', 'ê', false],
    ['gsm', '\u001b', false],
    ['latin1', 'ê{', true],
    ['latin1', '€', false],
    ['ucs2', '🙂', true],
  ] as const)('%s: whether it can write %j is %s', (alphabet, text, expected) => {
    expect(canWrite(text, alphabet)).toBe(expected)
    if (expected) expect(decodeText(encodeText(text, alphabet), alphabet)).toBe(text)
    else expect(() => encodeText(text, alphabet)).toThrow(`expected characters of ${alphabet} alone`)
  })

  it('reads anything without failing', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('gsm', 'latin1', 'ucs2'), (octets, alphabet) => {
        expect(typeof decodeText(Buffer.from(octets), alphabet)).toBe('string')
      }),
    )
  })
})
