import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { expectProblem } from '../refuses.ts'

const KEY = { 'idempotency-key': 'order-1042' }
const SCHEDULED = '/v1/messages/sms/scheduled'

describe('a repeat that comes when the request would no longer be accepted', () => {
  it('gets the stored answer of a schedule whose time has passed since', async () => {
    const harness = await openHarness()
    const body = { ...MESSAGE, SendAt: '2026-01-05T09:10:00Z' }
    const first = await harness.call('POST', SCHEDULED, KEY, body)
    const text = await first.text()
    expect(first.status).toBe(200)
    await harness.advance(3_600_000)

    const again = await harness.call('POST', SCHEDULED, KEY, body)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(await again.text()).toBe(text)
    await expectProblem(
      await harness.call('POST', SCHEDULED, { 'idempotency-key': 'another' }, body),
      'invalid_send_at',
      { errors: { '/SendAt': 'invalid_send_at' } },
    )
  })

  it('gets the stored answer of a send whose sender was rejected since', async () => {
    const harness = await openHarness()
    const text = await (await harness.sendSms(MESSAGE, KEY)).text()
    await harness.operator.setSender(harness.demo.accountId, MESSAGE.From, 'rejected')
    await harness.advance(2_000)

    const again = await harness.sendSms(MESSAGE, KEY)
    expect([again.status, await again.text()]).toEqual([200, text])
    await expectProblem(
      await harness.sendSms(MESSAGE, { 'idempotency-key': 'another' }),
      'sender_not_approved',
    )
  })

  it('is still refused when its body is another one', async () => {
    const harness = await openHarness()
    const body = { ...MESSAGE, SendAt: '2026-01-05T09:10:00Z' }
    await harness.call('POST', SCHEDULED, KEY, body)
    await harness.advance(3_600_000)
    const other = { ...body, Content: 'Another' }
    await expectProblem(await harness.call('POST', SCHEDULED, KEY, other), 'idempotency_key_reused')
  })
})
