import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('replayCallback: 404', () => {
  it.each(['01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f', 'x', '%00', "'", 'a'.repeat(5_000)])(
    'answers %.40s with transaction_not_found',
    async (id) => {
      const harness = await openHarness()
      const request = () => harness.call('POST', `/v1/callbacks/${id}/replay`, {})
      await refuses(harness, request, 'transaction_not_found')
    },
  )

  it("answers another account's callback as one that is not there, and posts nothing", async () => {
    const harness = await openHarness()
    await harness.sendSms({ ...MESSAGE, CallbackUrl: 'https://receiver.example' })
    await harness.advance(2_000)
    const { Items } = await (await harness.call('GET', '/v1/callbacks', {})).json()
    const others = await anotherAccount(harness)
    const request = () => harness.call('POST', `/v1/callbacks/${Items[0].Id}/replay`, others)
    const detail = `This account has no callback ${Items[0].Id}.`
    await refuses(harness, request, 'transaction_not_found', { detail })
    await harness.advance(2_000)
    expect(harness.posted).toHaveLength(1)
  })
})
