import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'

const DIGITS = '233241234567'
const MESSAGE = { From: 'WIGWAG', Content: 'Hello' }

describe.each(['+233241234567', '+233 24 123 4567', '233-24-123-4567', '+233\u00a024\u202f123\u20114567'])(
  'a number that is written %j',
  (To) => {
    it('is taken by every operation, and stored, answered and called back in digits', async () => {
      const { call, posted, advance } = await openHarness()
      const asked = async (path: string, body?: object) => {
        const response = await call(body ? 'POST' : 'GET', path, {}, body)
        return { status: response.status, answer: await response.json() }
      }
      const CallbackUrl = 'https://shop.example/callbacks'
      const SendAt = '2026-01-06T09:00:00Z'
      const path = '/v1/messages/sms'
      expect(await asked(`${path}/estimate`, { ...MESSAGE, To })).toMatchObject({
        status: 200,
        answer: { Country: 'GH' },
      })
      const sent = await asked(path, { ...MESSAGE, To, CallbackUrl })
      expect(sent).toMatchObject({ status: 200, answer: { Destination: DIGITS } })
      expect(await asked(`${path}/bulk/otm`, { ...MESSAGE, Recipients: [{ To }] })).toMatchObject({
        answer: [{ Destination: DIGITS }],
      })
      expect(await asked(`${path}/scheduled`, { ...MESSAGE, To, SendAt })).toMatchObject({
        answer: { Destination: DIGITS },
      })
      await advance(60_000)
      expect(posted.map(({ body }) => JSON.parse(body).Destination)).toEqual([DIGITS])
      expect(await asked(`/v1/transactions/${sent.answer.Ticket}/status`)).toMatchObject({
        answer: { To: DIGITS },
      })
      const { answer } = await asked(`/v1/messages?${new URLSearchParams({ To })}`)
      expect(answer.Items.map((item: { To: string }) => item.To)).toEqual([DIGITS, DIGITS, DIGITS])
    })
  },
)

it('a repeat is known by its body as it was sent: the same number in another form is another body', async () => {
  const { sendSms } = await openHarness()
  const key = { 'idempotency-key': 'order-1' }
  const first = await sendSms({ ...MESSAGE, To: '+233 24 123 4567' }, key)
  const again = await sendSms({ ...MESSAGE, To: '+233 24 123 4567' }, key)
  expect(await again.text()).toBe(await first.text())
  expect((await sendSms({ ...MESSAGE, To: DIGITS }, key)).status).toBe(422)
})
