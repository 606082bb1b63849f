import { describe, expect, it } from 'vitest'
import { openHarness, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'
import { contents, messageOf, numbers, senders, types } from '../wrong-fields.ts'

const PATH = '/v1/messages/sms/estimate'
const ASKED = ['From', 'To', 'Content']
const own = types.filter(([changes]) => Object.keys(changes).every((field) => ASKED.includes(field)))
const rows = [...own, ...senders, ...numbers, ...contents].filter(
  ([changes, code]) => !(code === 'missing_field' && 'From' in changes),
)

const shared = shareHarness()

describe('estimateCost: 422', () => {
  it.each(rows)('answers %j with %s, as a send does', async (changes, code, errors) => {
    const harness = shared()
    const body = messageOf(changes)
    const said = await (await harness.sendSms(body)).json()
    expect(said.code).toBe(code)
    const request = () => harness.call('POST', PATH, {}, body)
    await refuses(harness, request, code, { errors, detail: said.detail })
  })

  it.each([
    ['that is past', '2020-01-01T00:00:00Z'],
    ['more than 90 days ahead', '2030-01-01T00:00:00Z'],
    ['without an offset', '2026-01-06T09:00:00'],
  ])('answers a time %s with invalid_send_at, in the words of a schedule', async (_, SendAt) => {
    const harness = shared()
    const body = messageOf({ SendAt })
    const { detail } = await (await harness.call('POST', '/v1/messages/sms/scheduled', {}, body)).json()
    const request = () => harness.call('POST', PATH, {}, body)
    await refuses(harness, request, 'invalid_send_at', { errors: { '/SendAt': 'invalid_send_at' }, detail })
  })

  it('answers a destination without a rate with no_rate, as a send does', async () => {
    const harness = await openHarness()
    const body = messageOf({ To: '3545551234' })
    const request = () => harness.call('POST', PATH, {}, body)
    const { detail } = await (await harness.sendSms(body)).json()
    await refuses(harness, request, 'no_rate', { errors: { '/To': 'no_rate' }, detail })
  })
})
