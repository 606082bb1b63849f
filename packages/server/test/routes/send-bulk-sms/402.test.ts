import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { BULK, MESSAGE, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const PRICE = 42_000
const THREE = { ...BULK, Recipients: [1, 2, 3].map((n) => ({ To: `23324123456${n}` })) }

describe('sendBulkSms: 402', () => {
  it('answers a bulk that the wallet cannot pay with insufficient_funds, and sends none of it', async () => {
    const harness = await openHarness({ demoBalance: micros(3 * PRICE - 1) })
    const detail = 'The 3 messages cost 0.126 GHS and the wallet can spend 0.125999 GHS.'
    await refuses(harness, () => harness.sendBulkSms(THREE), 'insufficient_funds', { detail })
    expect((await harness.sendBulkSms(BULK)).status).toBe(200)
  })

  it('spends the last micro', async () => {
    const harness = await openHarness({ demoBalance: micros(3 * PRICE) })
    expect((await harness.sendBulkSms(THREE)).status).toBe(200)
    await refuses(harness, () => harness.sendSms(MESSAGE), 'insufficient_funds')
  })
})
