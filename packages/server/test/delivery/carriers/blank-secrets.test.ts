import { describe, expect, it } from 'vitest'
import { blanking } from '../../../src/delivery/carriers/http/provider-words.ts'

const SECRET = 'pa/ss+w&rd "é😀\\ 7'
const ADDRESS = 'https://sms.example/carriers/south/a-secret_of.it'
const blank = blanking([SECRET, ADDRESS, 'a-secret_of.it', `AC1:${SECRET}`])

const base64 = (text: string) => Buffer.from(text).toString('base64')
const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const units = (text: string) =>
  [...Array(text.length).keys()]
    .map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('')
const html = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
const numbered = (text: string) => [...text].map((one) => `&#x${one.codePointAt(0)?.toString(16)};`).join('')

const ENCODINGS: [string, (text: string) => string][] = [
  ['as it is', (text) => text],
  ['in other letters', (text) => text.toUpperCase()],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['percent-encoded byte by byte', percent],
  ['as a field of a form', (text) => new URLSearchParams({ a: text }).toString()],
  ['in JSON', (text) => JSON.stringify({ a: text })],
  ['in JSON in JSON', (text) => JSON.stringify(JSON.stringify({ a: text }))],
  ['in JSON with escaped slashes', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
  ['in JSON as numbers', units],
  ['in HTML', html],
  ['in HTML as numbers', numbered],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['in base64', base64],
  ['in base64url', (text) => Buffer.from(text).toString('base64url')],
  ['in base64 within others', (text) => base64(`to=${text}&from=x`)],
  ['in base64 with one byte before', (text) => base64(`u${text}`)],
  ['in base64 with two bytes before', (text) => base64(`u:${text}`)],
  ['in base64, percent-encoded', (text) => encodeURIComponent(base64(text))],
  ['in a Basic header', (text) => `Authorization: Basic ${base64(`AC1:${text}`)}`],
]

describe('the words of a provider', () => {
  it.each(ENCODINGS)('lose a secret %s', (_name, encode) => {
    for (const secret of [SECRET, ADDRESS]) {
      const text = blank(`Invalid: ${encode(secret)}, try again`)
      expect(text).toMatch(/^Invalid: .*…/)
      expect(text).not.toContain(encode(secret))
      // A few bytes of the encoded secret may be left at its edges.
      expect(text.length).toBeLessThan('Invalid: , try again'.length + 40)
    }
  })

  it('keep what is no secret', () => {
    for (const text of ["HTTP 400: Invalid 'To' Phone Number", 'a secret of its', 'password', '', '…'])
      expect(blank(text)).toBe(text)
  })

  it('are as they were where there is no secret', () => {
    expect(blanking(['', ''])('nothing to blank')).toBe('nothing to blank')
  })
})
