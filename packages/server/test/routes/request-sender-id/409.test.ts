import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

describe('requestSenderId: 409', () => {
  it('answers the 21st that would wait with too_many, and takes it when another is decided', async () => {
    const harness = await openHarness()
    const ask = (SenderId: string) => harness.call('POST', '/v1/account/sender-ids', {}, { SenderId })
    for (let number = 1; number <= 20; number++) expect((await ask(`Shop ${number}`)).status).toBe(200)
    await refuses(harness, () => ask('Shop 21'), 'too_many')
    expect((await ask('Shop 20')).status).toBe(200)
    await harness.operator.setSender(harness.demo.accountId, 'Shop 1', 'rejected')
    expect((await ask('Shop 21')).status).toBe(200)
  })
})
