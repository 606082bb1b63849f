import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const PRICE = 42_000
const PATH = '/v1/messages/sms/scheduled'
const BODY = { ...MESSAGE, SendAt: '2026-01-06T09:00:00Z' }

describe('scheduleSms: 402', () => {
  it('answers a message that the wallet does not cover today with insufficient_funds', async () => {
    const harness = await openHarness({ demoBalance: micros(PRICE - 1) })
    const detail = 'The message costs 0.042 GHS and the wallet can spend 0.041999 GHS.'
    await refuses(harness, () => harness.call('POST', PATH, {}, BODY), 'insufficient_funds', { detail })
  })

  it('counts what is held for later as spent, until it is cancelled', async () => {
    const harness = await openHarness({ demoBalance: micros(PRICE) })
    const { Ticket } = await (await harness.call('POST', PATH, {}, BODY)).json()
    await refuses(harness, () => harness.call('POST', PATH, {}, BODY), 'insufficient_funds')
    await refuses(harness, () => harness.sendSms(MESSAGE), 'insufficient_funds')
    await harness.call('DELETE', `${PATH}/${Ticket}`, {})
    expect((await harness.sendSms(MESSAGE)).status).toBe(200)
  })
})
