import { describe, expect, it } from 'vitest'
import { connect } from '../../support/assistants.ts'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { refuses } from '../refuses.ts'

const PATH = '/v1/messages/sms/scheduled'

describe('cancelScheduledSms: 403', () => {
  it('answers an access token that may only read with insufficient_scope', async () => {
    const harness = await openHarness()
    const { accountId } = harness.demo
    const body = { ...MESSAGE, SendAt: '2026-01-06T09:00:00Z' }
    const sender = await connect(harness, accountId)
    const { Ticket } = await (await harness.call('POST', PATH, sender.headers, body)).json()
    const reader = await connect(harness, accountId, 'only reading')
    const request = () => harness.call('DELETE', `${PATH}/${Ticket}`, reader.headers)
    await refuses(harness, request, 'insufficient_scope')
    expect((await harness.call('DELETE', `${PATH}/${Ticket}`, sender.headers)).status).toBe(200)
  })
})
