import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const TICKET = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

describe('getTransactionStatus: 403', () => {
  it('answers a suspended account with account_suspended within a second, until it is resumed', async () => {
    const harness = await openHarness()
    expect((await harness.getStatus(TICKET)).status).toBe(404)
    await harness.operator.setStatus(harness.demo.accountId, 'suspended')
    await harness.advance(1_000)
    await refuses(harness, () => harness.getStatus(TICKET), 'account_suspended')
    await harness.operator.setStatus(harness.demo.accountId, 'active')
    expect((await harness.getStatus(TICKET)).status).toBe(404)
  })
})
