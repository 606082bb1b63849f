import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { openWorld } from '../assistants/oauth/world.ts'
import { expectProblem } from '../routes/refuses.ts'
import { type Bench, openBench } from '../support/bench.ts'
import { basic, MESSAGE } from '../support/harness.ts'

const HOUR = 3_600_000
const balance = ({ call }: Bench) => call('GET', '/v1/account/balance')

describe('a wall clock that is set back an hour', () => {
  it('lets no suspended account in for longer than a second', async () => {
    const bench = await openBench()
    expect((await balance(bench)).status).toBe(200)
    await bench.operator.setStatus(bench.demo.accountId, 'suspended')
    bench.jump(-HOUR)
    await bench.advance(1_000)
    await expectProblem(await balance(bench), 'account_suspended')
  })

  it('brings no secret back that was ended at once', async () => {
    const bench = await openBench()
    const old = basic(bench.demo)
    const { clientSecret } = await bench.operator.rotateSecret(bench.demo.accountId)
    bench.jump(-HOUR)
    await bench.advance(1_000)
    await expectProblem(
      await bench.call('GET', '/v1/account/balance', { authorization: old }),
      'invalid_credentials',
    )
    const authorization = basic({ ...bench.demo, clientSecret })
    expect((await bench.call('GET', '/v1/account/balance', { authorization })).status).toBe(200)
  })

  it('keeps no client waiting for its next request', async () => {
    const bench = await openBench({ config: { rateLimit: { perSecond: 1, burst: 1 } } })
    expect((await balance(bench)).status).toBe(200)
    bench.jump(-HOUR)
    await bench.advance(1_000)
    expect((await balance(bench)).status).toBe(200)
  })

  it('leaves no callback signed with the old secret alone for longer than a second', async () => {
    const bench = await openBench()
    const send = async () => {
      await bench.call('POST', '/v1/messages/sms', {}, { ...MESSAGE, CallbackUrl: 'https://shop.example/' })
      await bench.advance(2_000)
      return bench.posted.at(-1)?.headers['webhook-signature']?.split(' ').length
    }
    expect(await send()).toBe(1)
    await bench.operator.rotateCallbackSecret(bench.demo.accountId)
    bench.jump(-HOUR)
    expect(await send()).toBe(2)
  })

  it('hides no new key of the authorization server for longer than a second', async () => {
    let back = 0
    let on = 0
    const clock = {
      ...systemClock,
      now: () => epochMs(systemClock.now() - back),
      elapsed: () => systemClock.elapsed() + on,
    }
    const { url, gateway } = await openWorld({ clock })
    const keys = async () => (await (await fetch(`${url}/oauth/jwks`)).json()).keys.length
    expect(await keys()).toBe(1)
    await gateway.keyring.rotate()
    back = HOUR
    on = 1_000
    expect(await keys()).toBe(2)
  })
})
