import { zSenderId } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../isolation/requests.ts'
import { type Harness, MESSAGE, openHarness } from '../../support/harness.ts'

const request = ({ call }: Harness, SenderId: string) =>
  answerOf(call('POST', '/v1/account/sender-ids', {}, { SenderId }), zSenderId)

describe('requestSenderId: 200', () => {
  it('adds a sender ID that waits for the operator, and cannot send before', async () => {
    const harness = await openHarness()
    const pending = { SenderId: 'Shop', Status: 'pending', DateCreated: '2026-01-05T09:00:00.125Z' }
    expect(await request(harness, 'Shop')).toEqual(pending)
    await harness.advance(1_000)
    const send = async () => (await harness.sendSms({ ...MESSAGE, From: 'Shop' })).status
    expect(await send()).toBe(403)
    await harness.operator.setSender(harness.demo.accountId, 'Shop', 'approved')
    await harness.advance(1_000)
    expect(await send()).toBe(200)
  })

  it.each(['approved', 'rejected', 'pending'] as const)('leaves one that is %s as it is', async (status) => {
    const harness = await openHarness()
    await harness.operator.setSender(harness.demo.accountId, 'Shop', status)
    await harness.advance(60_000)
    const DateCreated = '2026-01-05T09:00:00.125Z'
    expect(await request(harness, 'Shop')).toEqual({ SenderId: 'Shop', Status: status, DateCreated })
  })

  it('is audited once, however often it is asked', async () => {
    const harness = await openHarness()
    for (let asked = 0; asked < 3; asked++) await request(harness, 'Shop')
    const entries = await harness.database.read(({ run }) =>
      run("SELECT actor, detail FROM audit WHERE action = 'api requestSenderId'", []),
    )
    expect(entries).toEqual([
      {
        actor: `client:${harness.demo.clientId}`,
        detail: '{"outcome":"done","about":"Shop"}',
      },
    ])
  })
})
