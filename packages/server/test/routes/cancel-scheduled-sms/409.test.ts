import { describe, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const PATH = '/v1/messages/sms/scheduled'

describe('cancelScheduledSms: 409', () => {
  it.each([
    ['233241200005', 'pending'],
    ['233241234567', 'success'],
    ['233241200001', 'undelivered'],
  ])('answers one to %s, %s and never scheduled, with not_cancellable', async (To, status) => {
    const harness = await openHarness()
    const { Ticket } = await (await harness.sendSms({ ...MESSAGE, To })).json()
    await harness.advance(2_000)
    const detail = new RegExp(`^The message is ${status}: it was never scheduled\\. Only scheduled messages`)
    const request = () => harness.call('DELETE', `${PATH}/${Ticket}`, {})
    await refuses(harness, request, 'not_cancellable', { detail })
  })

  it.each([
    ['233241200005', 'pending'],
    ['233241234567', 'success'],
  ])('answers a message to %s, whose time has come, with not_cancellable', async (To, status) => {
    const harness = await openHarness()
    const body = { ...MESSAGE, To, SendAt: '2026-01-05T09:01:00Z' }
    const { Ticket } = await (await harness.call('POST', PATH, {}, body)).json()
    await harness.advance(62_000)
    const detail = `The message is ${status}: its time has come. Only scheduled messages can be cancelled.`
    const request = () => harness.call('DELETE', `${PATH}/${Ticket}`, {})
    await refuses(harness, request, 'not_cancellable', { detail })
  })
})
