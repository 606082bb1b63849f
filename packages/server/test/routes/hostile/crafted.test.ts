import { describe, expect, it } from 'vitest'
import { BULK, MESSAGE, openHarness } from '../../support/harness.ts'
import { resultOf } from '../answers.ts'
import { refuses } from '../refuses.ts'
import { bulkOf } from './bulk-of.ts'

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth)
const withField = (json: string) => JSON.stringify(MESSAGE).replace('{', `{"extra":${json},`)
const DEEP = 20_000
/** As many levels as a body may have. */
const DEEPEST = 64

const NOT_AN_OBJECT = { '': 'invalid_type' } as const
const IN_FROM = { '/From': 'invalid_type', '/To': 'missing_field', '/Content': 'missing_field' } as const
const MISSING = { '/From': 'missing_field', '/To': 'missing_field', '/Content': 'missing_field' } as const

describe('sendSms', () => {
  it.each([
    ['brackets that never close', '['.repeat(60_000)],
    ['quotes that never close', `{"From":"${'x'.repeat(60_000)}`],
    ['NUL bytes', '\0\0\0\0'],
    ['a byte order mark alone', '\ufeff'],
    ['two byte order marks', '\ufeff\ufeff{}'],
    ['an array that is nested deeply', nested('[', ']', DEEP)],
    ['an unknown field that is nested deeply', withField(nested('[', ']', DEEP))],
  ])('answers %s with invalid_json', async (_, body) => {
    const harness = await openHarness()
    await refuses(harness, () => harness.sendSms(body), 'invalid_json')
  })

  it.each([
    ['an array in an array, and so on', 'invalid_type', NOT_AN_OBJECT, nested('[', ']', DEEPEST)],
    ['a number beyond all numbers', 'invalid_type', NOT_AN_OBJECT, '1e999999'],
    ['a number of 60,000 digits', 'invalid_type', NOT_AN_OBJECT, '9'.repeat(60_000)],
    ['half a surrogate pair', 'invalid_type', NOT_AN_OBJECT, '"\\ud800"'],
    [
      'objects in From',
      'invalid_type',
      IN_FROM,
      `{"From":${nested('{"a":', '}', DEEPEST - 1).replace(':}', ':1}')}}`,
    ],
    ['a name that is half a surrogate pair', 'missing_field', MISSING, '{"\\ud800":1}'],
    ['fields of a prototype', 'missing_field', MISSING, `{"__proto__":${JSON.stringify(MESSAGE)}}`],
    ['a constructor', 'missing_field', MISSING, `{"constructor":{"prototype":${JSON.stringify(MESSAGE)}}}`],
  ] as const)('answers %s with %s, field by field', async (_, code, errors, body) => {
    const harness = await openHarness()
    await refuses(harness, () => harness.sendSms(body), code, { errors })
  })

  it.each([
    ['nested', nested('[', ']', DEEPEST - 1)],
    ['a number beyond all numbers', '-1e999999'],
    ['a prototype', '{"__proto__":{"polluted":true}}'],
    ['many members', `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":0`).join()}}`],
  ])('ignores an unknown field that is %s', async (_, json) => {
    const { sendSms } = await openHarness()
    await resultOf(sendSms(withField(json)))
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  it('takes the last of a field that comes twice', async () => {
    const { sendSms } = await openHarness()
    const twice = JSON.stringify(MESSAGE).replace('{', '{"To":"447400123456",')
    expect((await resultOf(sendSms(twice))).Destination).toBe(MESSAGE.To)
  })
})

describe('sendBulkSms', () => {
  it('refuses 10,000 recipients of which the last is wrong, and sends none', async () => {
    const harness = await openHarness()
    const Recipients = Array.from({ length: 10_000 }, () => ({ To: '233241234567' }))
    Recipients[9_999] = { To: '233' }
    const errors = { '/Recipients/9999/To': 'invalid_recipient' } as const
    await refuses(harness, () => harness.sendBulkSms({ ...BULK, Recipients }), 'invalid_recipient', {
      errors,
    })
  })

  it('refuses recipients that are nested', async () => {
    const harness = await openHarness()
    const body = bulkOf(nested('[', ']', DEEPEST - 2), 1)
    const errors = { '/Recipients/0': 'invalid_type' } as const
    await refuses(harness, () => harness.sendBulkSms(body), 'invalid_type', { errors })
  })
})
