import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

const PATH = '/v1/messages/sms/scheduled'

describe('cancelScheduledSms: 404', () => {
  it.each(['01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f', 'x', '%00', "'", 'a'.repeat(5_000)])(
    'answers %.40s with transaction_not_found',
    async (ticket) => {
      const harness = await openHarness()
      await refuses(harness, () => harness.call('DELETE', `${PATH}/${ticket}`, {}), 'transaction_not_found')
    },
  )

  it("answers another account's message as one that is not there, and leaves it scheduled", async () => {
    const harness = await openHarness()
    const body = { ...MESSAGE, SendAt: '2026-01-06T09:00:00Z' }
    const { Ticket } = await (await harness.call('POST', PATH, {}, body)).json()
    const others = await anotherAccount(harness)
    const request = () => harness.call('DELETE', `${PATH}/${Ticket}`, others)
    const detail = `This account has no transaction ${Ticket}.`
    await refuses(harness, request, 'transaction_not_found', { detail })
    expect(await (await harness.getStatus(Ticket)).json()).toMatchObject({ Status: 'scheduled' })
  })
})
