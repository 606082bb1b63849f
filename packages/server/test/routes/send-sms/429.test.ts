import { describe, expect, it } from 'vitest'
import { connect } from '../../support/assistants.ts'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'
import { refuses } from '../refuses.ts'

describe('sendSms: 429', () => {
  it('says of each request what is left of the burst, and when there is more', async () => {
    const harness = await openHarness({ rateLimit: { perSecond: 2, burst: 3 } })
    for (const left of [2, 1, 0]) {
      const { status, headers } = await harness.sendSms(MESSAGE)
      expect([status, headers.get('ratelimit')]).toEqual([
        200,
        expect.stringContaining(`"default";r=${left};t=`),
      ])
      expect(headers.get('ratelimit-policy')).toBe('"default";q=3;w=2')
    }
    const headers = {
      'retry-after': '1',
      ratelimit: '"default";r=0;t=2',
      'ratelimit-policy': '"default";q=3;w=2',
    }
    await refuses(harness, () => harness.sendSms(MESSAGE), 'rate_limited', { headers })
    await harness.advance(1_000)
    expect((await harness.sendSms(MESSAGE)).status).toBe(200)
  })

  it('counts each client and each connection by itself', async () => {
    const harness = await openHarness({ rateLimit: { perSecond: 1, burst: 1 } })
    const other = await anotherAccount(harness)
    expect((await harness.sendSms(MESSAGE)).status).toBe(200)
    await refuses(harness, () => harness.sendSms(MESSAGE), 'rate_limited')
    expect((await harness.sendSms(MESSAGE, other)).status).toBe(200)
    const { headers } = await connect(harness, harness.demo.accountId)
    expect((await harness.sendSms(MESSAGE, headers)).status).toBe(200)
    await refuses(harness, () => harness.sendSms(MESSAGE, headers), 'rate_limited')
  })

  it('names no limit where there is none', async () => {
    const { sendSms } = await openHarness()
    const { headers } = await sendSms(MESSAGE)
    expect([headers.has('ratelimit'), headers.has('ratelimit-policy')]).toEqual([false, false])
  })
})
