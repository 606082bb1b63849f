import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const PRICE = 42_000

describe('sendSms: 402', () => {
  it('answers a message that costs a micro more than the wallet holds with insufficient_funds', async () => {
    const harness = await openHarness({ demoBalance: micros(PRICE - 1) })
    const detail = 'The message costs 0.042 GHS and the wallet can spend 0.041999 GHS.'
    await refuses(harness, () => harness.sendSms(MESSAGE), 'insufficient_funds', { detail })
  })

  it('spends the last micro, and holds count as spent', async () => {
    const harness = await openHarness({ demoBalance: micros(PRICE) })
    expect((await harness.sendSms(MESSAGE)).status).toBe(200)
    const detail = 'the wallet can spend 0 GHS.'
    await refuses(harness, () => harness.sendSms(MESSAGE), 'insufficient_funds', { detail })
  })

  it('spends again what an undelivered message released', async () => {
    const harness = await openHarness({ demoBalance: micros(PRICE) })
    expect((await harness.sendSms({ ...MESSAGE, To: '233241200001' })).status).toBe(200)
    await refuses(harness, () => harness.sendSms(MESSAGE), 'insufficient_funds')
    await harness.advance(2_000)
    expect((await harness.sendSms(MESSAGE)).status).toBe(200)
  })

  it('lets exactly as many of a hundred sends through as the wallet pays for', async () => {
    const { sendSms, getBalance } = await openHarness({ demoBalance: micros(7 * PRICE + 1) })
    const answers = await Promise.all(Array.from({ length: 100 }, () => sendSms(MESSAGE)))
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(7)
    expect(statuses.filter((status) => status === 402)).toHaveLength(93)
    expect(await (await getBalance()).json()).toMatchObject({ balance: 0.000001 })
  })
})
