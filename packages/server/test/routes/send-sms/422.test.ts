import { describe, expect, it } from 'vitest'
import { openHarness, shareHarness } from '../../support/harness.ts'
import { expectProblem, refuses } from '../refuses.ts'
import { contents, messageOf, numbers, references, senders, types, urls } from '../wrong-fields.ts'

const shared = shareHarness()

describe('sendSms: 422', () => {
  it.each([...types, ...senders, ...numbers, ...contents, ...references, ...urls])(
    'answers %j with %s',
    async (changes, code, errors) => {
      const harness = shared()
      await refuses(harness, () => harness.sendSms(messageOf(changes)), code, { errors })
    },
  )

  it.each(['[]', 'null', '"text"', '0', 'true'])('answers the body %s with invalid_type', async (body) => {
    const harness = shared()
    await refuses(harness, () => harness.sendSms(body), 'invalid_type', { errors: { '': 'invalid_type' } })
  })

  it('lists every wrong field once, in the order of the document, and says how many there are', async () => {
    const harness = await openHarness()
    const body = {
      From: '',
      To: '0241234567',
      Content: '',
      Reference: 5,
      CallbackUrl: 'ftp://x',
      callbackUrl: '',
    }
    await refuses(harness, () => harness.sendSms(body), 'invalid_sender', {
      detail: / And 5 more\.$/,
      errors: {
        '/From': 'invalid_sender',
        '/To': 'invalid_recipient',
        '/Content': 'content_empty',
        '/Reference': 'invalid_type',
        '/CallbackUrl': 'invalid_callback_url',
        '/callbackUrl': 'invalid_callback_url',
      },
    })
  })

  it('answers a message with a time with invalid_send_at, and says where it belongs', async () => {
    const harness = shared()
    const body = messageOf({ SendAt: '2026-01-06T09:00:00Z' })
    await refuses(harness, () => harness.sendSms(body), 'invalid_send_at', {
      detail: /^Expected no SendAt .* belongs to POST \/v1\/messages\/sms\/scheduled.* Nothing was sent\.$/,
      errors: { '/SendAt': 'invalid_send_at' },
    })
    await refuses(harness, () => harness.sendSms({ ...body, To: '1' }), 'invalid_send_at', {
      errors: { '/SendAt': 'invalid_send_at', '/To': 'invalid_recipient' },
    })
  })

  it.each([{ SendAt: null }, { sendAt: '2026-01-06T09:00:00Z' }, { Other: 1 }])(
    'takes a message with %j, as any field that is not documented',
    async (more) => {
      const { sendSms } = await openHarness()
      expect((await sendSms(messageOf(more))).status).toBe(200)
    },
  )

  it('says what may be between the digits of a number', async () => {
    const { sendSms } = await openHarness()
    const response = await sendSms(messageOf({ To: '+233 (24) 123-4567' }))
    await expectProblem(response, 'invalid_recipient', {
      detail: /a leading \+ and single blanks or hyphens .*; got "\+233 \(24\) 123-4567"\.$/,
      errors: { '/To': 'invalid_recipient' },
    })
  })

  it('answers a country that the wallet has no rate for with no_rate', async () => {
    const harness = await openHarness()
    const errors = { '/To': 'no_rate' } as const
    const detail = 'There is no rate in GHS for 3545551234.'
    await refuses(harness, () => harness.sendSms(messageOf({ To: '3545551234' })), 'no_rate', {
      errors,
      detail,
    })
  })

  it('answers CallbackUrl and callbackUrl that differ with invalid_callback_url', async () => {
    const harness = await openHarness()
    const body = messageOf({ CallbackUrl: 'https://a.example/', callbackUrl: 'https://b.example/' })
    const errors = { '/callbackUrl': 'invalid_callback_url' } as const
    await refuses(harness, () => harness.sendSms(body), 'invalid_callback_url', { errors })
  })

  it('answers a key that was used with another body with idempotency_key_reused', async () => {
    const harness = await openHarness()
    const key = { 'idempotency-key': 'k-1' }
    expect((await harness.sendSms(messageOf({}), key)).status).toBe(200)
    const request = () => harness.sendSms(messageOf({ Content: 'Other' }), key)
    await refuses(harness, request, 'idempotency_key_reused', {
      detail: /^Nothing was sent for this request/,
    })
  })
})
