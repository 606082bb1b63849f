import { describe, expect, it } from 'vitest'
import type { ProblemCode } from '../../../src/kernel/errors.ts'
import { START } from '../../support/bench.ts'
import { openHarness, shareHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'
import { contents, messageOf, numbers, references, senders, types, urls } from '../wrong-fields.ts'

const PATH = '/v1/messages/sms/scheduled'
const SendAt = '2026-01-06T09:00:00Z'
const A_DAY = 86_400_000
const at = (ms: number) => new Date(ms).toISOString()

const TIMES: [unknown, ProblemCode][] = [
  [undefined, 'missing_field'],
  [null, 'invalid_type'],
  [START + A_DAY, 'invalid_type'],
  ['', 'invalid_send_at'],
  ['tomorrow', 'invalid_send_at'],
  ['2026-01-06', 'invalid_send_at'],
  ['2026-01-06T09:00:00', 'invalid_send_at'],
  ['2026-01-06T09:00Z', 'invalid_send_at'],
  ['2026-01-06 09:00:00Z', 'invalid_send_at'],
  ['2026-02-30T09:00:00Z', 'invalid_send_at'],
  ['2026-01-06T24:00:00Z', 'invalid_send_at'],
  ['2026-01-06T09:00:00+0100', 'invalid_send_at'],
  [at(START), 'invalid_send_at'],
  [at(START - 1), 'invalid_send_at'],
  [at(START - A_DAY), 'invalid_send_at'],
  ['2026-01-05T10:00:00+01:00', 'invalid_send_at'],
  [at(START + 90 * A_DAY + 1), 'invalid_send_at'],
  ['9999-12-31T23:59:59-14:00', 'invalid_send_at'],
  ['0000-01-01T00:00:00Z', 'invalid_send_at'],
]

const shared = shareHarness()

describe('scheduleSms: 422', () => {
  it.each(TIMES)('answers SendAt %j with %s', async (SendAt, code) => {
    const harness = shared()
    const request = () => harness.call('POST', PATH, {}, messageOf({ SendAt }))
    await refuses(harness, request, code, { errors: { '/SendAt': code } })
  })

  it.each([...types, ...senders, ...numbers, ...contents, ...references, ...urls])(
    'answers %j with %s, as a send does',
    async (changes, code, errors) => {
      const harness = shared()
      const request = () => harness.call('POST', PATH, {}, messageOf({ ...changes, SendAt }))
      await refuses(harness, request, code, { errors })
    },
  )

  it('answers a destination without a rate with no_rate', async () => {
    const harness = await openHarness()
    const request = () => harness.call('POST', PATH, {}, messageOf({ To: '3545551234', SendAt }))
    await refuses(harness, request, 'no_rate', { errors: { '/To': 'no_rate' } })
  })

  it('answers a key that was used with another time with idempotency_key_reused', async () => {
    const harness = await openHarness()
    const key = { 'idempotency-key': 'k-1' }
    expect((await harness.call('POST', PATH, key, messageOf({ SendAt }))).status).toBe(200)
    const other = messageOf({ SendAt: '2026-01-06T09:00:01Z' })
    await refuses(harness, () => harness.call('POST', PATH, key, other), 'idempotency_key_reused')
  })
})
