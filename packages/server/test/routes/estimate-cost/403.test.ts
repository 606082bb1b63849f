import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('estimateCost: 403', () => {
  it('answers a sender that could not send with sender_not_approved, in the words of a send', async () => {
    const harness = await openHarness()
    await anotherAccount(harness)
    await harness.operator.setSender(harness.demo.accountId, 'PENDING', 'pending')
    for (const From of ['UNKNOWN', 'PENDING', 'OTHER', 'wigwag']) {
      const body = { ...MESSAGE, From }
      const { detail } = await (await harness.sendSms(body)).json()
      const request = () => harness.call('POST', '/v1/messages/sms/estimate', {}, body)
      await refuses(harness, request, 'sender_not_approved', { detail })
    }
  })

  it('is not asked about a sender that is left out', async () => {
    const { call } = await openHarness()
    const { From, ...body } = MESSAGE
    expect(From).toBe('WIGWAG')
    expect((await call('POST', '/v1/messages/sms/estimate', {}, body)).status).toBe(200)
  })
})
