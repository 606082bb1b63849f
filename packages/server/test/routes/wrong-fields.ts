import type { ProblemCode } from '../../src/kernel/errors.ts'
import { MESSAGE } from '../support/harness.ts'

type Changes = Readonly<Record<string, unknown>>
type Wrong = readonly [changes: Changes, code: ProblemCode, errors: Record<string, ProblemCode>]

/** A message with some fields otherwise; those that are undefined are left out. */
export function messageOf(changes: Changes): object {
  return { ...MESSAGE, ...changes }
}

function wrong(field: string, code: ProblemCode, values: readonly unknown[]): Wrong[] {
  return values.map((value) => [{ [field]: value }, code, { [`/${field}`]: code }])
}

export const types: Wrong[] = [
  ...['From', 'To', 'Content'].flatMap((field) => wrong(field, 'missing_field', [undefined])),
  ...['From', 'To', 'Content', 'Reference', 'CallbackUrl', 'callbackUrl'].flatMap((field) =>
    wrong(field, 'invalid_type', [null, 233241234567, true, ['a'], { a: 1 }]),
  ),
]

export const senders = wrong('From', 'invalid_sender', [
  '',
  '12',
  '1234567890123456',
  'ABCDEFGHIJKL',
  ' Shop',
  'Shop ',
  'Café',
  'A\0',
  '\ud800',
  'a'.repeat(5_000),
])

export const numbers = wrong('To', 'invalid_recipient', [
  '',
  '++233241234567',
  '+ 233241234567',
  '233  24 123 4567',
  '+233 (24) 123-4567',
  '00233241234567',
  '0241234567',
  '123456',
  '1234567890123456',
  '2332412345',
  '2100000000',
  '233241234567\n',
  '٢٣٣٢٤١٢٣٤٥٦٧',
  '２３３２４１２３４５６７',
  '\ud800',
  '9'.repeat(5_000),
])

export const contents: Wrong[] = [
  ...wrong('Content', 'content_empty', ['']),
  ...wrong('Content', 'content_too_long', [
    'a'.repeat(1_531),
    'ш'.repeat(671),
    '€'.repeat(761),
    '😀'.repeat(331),
  ]),
  ...wrong('Content', 'content_invalid', ['\0', 'a\0b', '\ud83d', 'a\ude00']),
]

export const references = wrong('Reference', 'invalid_value', [
  'r'.repeat(129),
  '😀'.repeat(129),
  'r'.repeat(10_000),
  'a\0b',
  'a\ud800',
])

const WRONG_URLS = [
  '',
  'example.com',
  '/sms',
  'ftp://example.com',
  'javascript:alert(1)',
  'http:example.com',
  'http://',
  'http://?x',
  'https://user:secret@example.com',
  'https://@example.com',
  'https://exa mple.com',
  ' https://example.com',
  'https://example.com\n',
  'https://example.com/a\tb',
  'http://example.com\\@evil.example',
  'http://a:99999/',
  `https://example.com/${'a'.repeat(2_029)}`,
]
export const urls = ['CallbackUrl', 'callbackUrl'].flatMap((field) =>
  wrong(field, 'invalid_callback_url', WRONG_URLS),
)
