import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { balanceOf, INSTANT, resultOf } from '../answers.ts'
import { anotherAccount } from '../others.ts'

describe('getBalance: 200', () => {
  it('answers the specified request with three fields in camelCase', async () => {
    const { app, demo } = await openHarness()
    const request = new Request('http://gateway.invalid/v1/account/balance', {
      headers: {
        Authorization: `Basic ${btoa(`${demo.clientId}:${demo.clientSecret}`)}`,
        'X-Wallet': `Token ${demo.walletToken}`,
        'Content-Type': 'application/json',
      },
    })
    const response = await app.fetch(request)
    expect([...response.headers.keys()].sort()).toEqual(['content-type', 'x-request-id'])
    expect(await response.text()).toBe('{"balance":100,"currency":"GHS","asOf":"2026-01-05T09:00:00.125Z"}')
  })

  it('says when it was read', async () => {
    const { getBalance, advance, now } = await openHarness()
    await advance(1_875)
    const { asOf } = await balanceOf(getBalance())
    expect(asOf).toMatch(INSTANT)
    expect(asOf).toBe(now().toISOString())
    expect(asOf).toBe('2026-01-05T09:00:02.000Z')
  })

  it('takes what is held off at once, and stays when the hold becomes a charge', async () => {
    const { sendSms, getBalance, advance } = await openHarness()
    await resultOf(sendSms(MESSAGE))
    expect((await balanceOf(getBalance())).balance).toBe(99.958)
    await advance(2_000)
    expect((await balanceOf(getBalance())).balance).toBe(99.958)
  })

  it('sees a top-up at once', async () => {
    const { operator, demo, getBalance } = await openHarness()
    await operator.credit(demo.accountId, micros(1))
    expect((await balanceOf(getBalance())).balance).toBe(100.000001)
  })

  it('shows each account its own wallet', async () => {
    const harness = await openHarness()
    const other = await anotherAccount(harness)
    expect((await balanceOf(harness.getBalance(other))).balance).toBe(50)
    expect((await balanceOf(harness.getBalance())).balance).toBe(100)
  })

  it('needs no Content-Type', async () => {
    const { getBalance } = await openHarness()
    expect((await balanceOf(getBalance({ 'content-type': undefined }))).currency).toBe('GHS')
  })
})
