import {
  zCallbackUrl,
  zClientReference,
  zMessageContent,
  zRecipientNumber,
  zSenderName,
} from '@wigwag/contract/validators'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Problem } from '../../src/kernel/errors.ts'
import { parseRecipient } from '../../src/kernel/phone/phone.ts'
import { checkCallbackUrl, checkReference, checkSender } from '../../src/kernel/sent-fields.ts'
import { checkContent } from '../../src/kernel/text/segments.ts'

const characters = (least: number, most: number) =>
  fc.string({ unit: fc.constantFrom('r', 'é', '€', '😀', '\n'), minLength: least, maxLength: most })
const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 17 })
const paths = fc.string({ unit: fc.constantFrom('a', '%41', 'ü', '@', '?', '#', '😀'), maxLength: 2_048 })
const hosts = fc.constantFrom('example.com', 'bücher.example', '[::1]:80', '127.1', 'EXAMPLE.com:8080')

describe('the validators of the document', () => {
  it.each([
    ['From', checkSender, zSenderName, fc.oneof(digits, fc.stringMatching(/^[A-Za-z0-9 ]{1,12}$/))],
    [
      'To',
      parseRecipient,
      zRecipientNumber,
      fc.oneof(
        digits,
        fc.nat(9_999_999).map((n) => `23324${n}`),
      ),
    ],
    ['Content', checkContent, zMessageContent, fc.oneof(characters(1, 160), characters(600, 700))],
    ['Content', checkContent, zMessageContent, fc.nat(1_600).map((length) => 'a'.repeat(length))],
    ['Reference', checkReference, zClientReference, fc.oneof(characters(0, 20), characters(100, 140))],
    [
      'CallbackUrl',
      (url: string) => checkCallbackUrl(url, () => undefined),
      zCallbackUrl,
      fc
        .tuple(fc.constantFrom('http', 'https', 'HTTP'), hosts, paths)
        .map(([scheme, host, path]) => `${scheme}://${host}/${path}`),
    ],
  ])('refuse no %s that the domain allows', (_name, rule, validator, texts) => {
    let allowed = 0
    fc.assert(
      fc.property(texts, (text) => {
        if (!isAllowed(rule, text)) return
        allowed++
        expect(validator.safeParse(text).error?.issues ?? []).toEqual([])
      }),
      { numRuns: 400 },
    )
    expect(allowed).toBeGreaterThan(20)
  })
})

function isAllowed(rule: (text: string) => unknown, text: string): boolean {
  try {
    rule(text)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
