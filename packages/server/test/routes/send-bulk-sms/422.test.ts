import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { BULK, openHarness, shareHarness } from '../../support/harness.ts'
import { expectProblem, refuses } from '../refuses.ts'
import { contents, numbers, references, senders, types, urls } from '../wrong-fields.ts'

const GOOD = { To: '233241234567' }
const ofRecipient = (changes: object) => 'To' in changes || 'Reference' in changes
const all = [...types, ...senders, ...numbers, ...contents, ...references, ...urls]
const many = (count: number) => Array.from({ length: count }, (_, i) => ({ To: `233241${100_000 + i}` }))

const shared = shareHarness()

describe('sendBulkSms: 422', () => {
  it.each(all.filter(([changes]) => !ofRecipient(changes)))(
    'answers %j with %s',
    async (changes, code, errors) => {
      const harness = shared()
      await refuses(harness, () => harness.sendBulkSms({ ...BULK, ...changes }), code, { errors })
    },
  )

  it.each(all.filter(([changes]) => ofRecipient(changes)))(
    'answers a recipient %j with %s',
    async (changes, code) => {
      const harness = shared()
      const body = { ...BULK, Recipients: [GOOD, { ...GOOD, ...changes }, GOOD] }
      const errors = { [`/Recipients/1/${Object.keys(changes)[0]}`]: code }
      await refuses(harness, () => harness.sendBulkSms(body), code, { errors })
    },
  )

  it.each([
    [undefined, 'missing_field', { '/Recipients': 'missing_field' }],
    [null, 'invalid_type', { '/Recipients': 'invalid_type' }],
    [{ 0: GOOD }, 'invalid_type', { '/Recipients': 'invalid_type' }],
    [[], 'invalid_value', { '/Recipients': 'invalid_value' }],
    [['233241234567'], 'invalid_type', { '/Recipients/0': 'invalid_type' }],
    [[[GOOD]], 'invalid_type', { '/Recipients/0': 'invalid_type' }],
    [[GOOD, null], 'invalid_type', { '/Recipients/1': 'invalid_type' }],
    [[{}], 'missing_field', { '/Recipients/0/To': 'missing_field' }],
  ] as const)('answers the recipients %j with %s', async (Recipients, code, errors) => {
    const harness = shared()
    await refuses(harness, () => harness.sendBulkSms({ ...BULK, Recipients }), code, { errors })
  })

  it('answers 10,001 recipients with too_many_recipients, and takes 10,000', async () => {
    const harness = await openHarness({ demoBalance: micros(1_000_000_000) })
    const errors = { '/Recipients': 'too_many_recipients' } as const
    const send = (count: number) => harness.sendBulkSms({ ...BULK, Recipients: many(count) })
    const detail = 'Expected at most 10000 recipients; got 10001. Split the list.'
    await refuses(harness, () => send(10_001), 'too_many_recipients', { errors, detail })
    const response = await send(10_000)
    expect([response.status, (await response.json()).length]).toEqual([200, 10_000])
  })

  it('answers a time, of all or of one recipient, with invalid_send_at', async () => {
    const harness = shared()
    const SendAt = '2026-01-06T09:00:00Z'
    const detail = /belongs to POST \/v1\/messages\/sms\/scheduled.* Nothing was sent\./
    await refuses(harness, () => harness.sendBulkSms({ ...BULK, SendAt }), 'invalid_send_at', {
      detail,
      errors: { '/SendAt': 'invalid_send_at' },
    })
    const Recipients = [GOOD, { ...GOOD, SendAt }]
    await refuses(harness, () => harness.sendBulkSms({ ...BULK, Recipients }), 'invalid_send_at', {
      detail,
      errors: { '/Recipients/1/SendAt': 'invalid_send_at' },
    })
  })

  it('lists every wrong recipient, in order, and none of the others is sent', async () => {
    const harness = await openHarness()
    const Recipients = [GOOD, { To: '+1' }, GOOD, { To: '3545551234' }, { To: '2332412345' }]
    await refuses(harness, () => harness.sendBulkSms({ ...BULK, Recipients }), 'invalid_recipient', {
      errors: { '/Recipients/1/To': 'invalid_recipient', '/Recipients/4/To': 'invalid_recipient' },
    })
    Recipients[1] = GOOD
    await refuses(harness, () => harness.sendBulkSms({ ...BULK, Recipients }), 'no_rate', {
      detail: 'There is no rate in GHS for 3545551234. And 1 more.',
      errors: { '/Recipients/3/To': 'no_rate', '/Recipients/4/To': 'invalid_recipient' },
    })
  })

  it('lists a hundred wrong recipients at the most, and says how many more there are', async () => {
    const { sendBulkSms } = await openHarness()
    const response = await sendBulkSms({
      ...BULK,
      Recipients: many(10_000).map(({ To }) => ({ To: `0${To}` })),
    })
    const { detail, errors } = await response.json()
    expect([errors.length, detail]).toEqual([100, expect.stringMatching(/ And 9999 more\.$/)])
  })

  it('answers CallbackUrl and callbackUrl that differ with invalid_callback_url', async () => {
    const harness = await openHarness()
    const body = { ...BULK, CallbackUrl: 'https://a.example/', callbackUrl: 'https://b.example/' }
    const errors = { '/callbackUrl': 'invalid_callback_url' } as const
    await refuses(harness, () => harness.sendBulkSms(body), 'invalid_callback_url', { errors })
  })

  it('answers a key that was used with another body with idempotency_key_reused', async () => {
    const harness = await openHarness()
    const key = { 'idempotency-key': 'k-1' }
    expect((await harness.sendBulkSms(BULK, key)).status).toBe(200)
    const other = await harness.sendBulkSms({ ...BULK, Content: 'Other' }, key)
    await expectProblem(other, 'idempotency_key_reused')
  })
})
