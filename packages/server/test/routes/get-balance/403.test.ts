import { describe, expect, it } from 'vitest'
import { openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('getBalance: 403', () => {
  it("answers a token that opens no wallet, or another account's, with wallet_forbidden", async () => {
    const harness = await openHarness()
    const { 'x-wallet': others } = await anotherAccount(harness)
    for (const wallet of ['Token unknown', others]) {
      await refuses(harness, () => harness.getBalance({ 'x-wallet': wallet }), 'wallet_forbidden')
    }
  })

  it('answers a suspended account with account_suspended within a second, until it is resumed', async () => {
    const harness = await openHarness()
    expect((await harness.getBalance()).status).toBe(200)
    await harness.operator.setStatus(harness.demo.accountId, 'suspended')
    await harness.advance(1_000)
    await refuses(harness, () => harness.getBalance(), 'account_suspended')
    await harness.operator.setStatus(harness.demo.accountId, 'active')
    expect((await harness.getBalance()).status).toBe(200)
  })
})
