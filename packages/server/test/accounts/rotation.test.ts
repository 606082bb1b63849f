import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { rotate } from '../routes/keys.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../support/bench.ts'
import { call, openFront } from '../support/front.ts'
import { basic, type Harness, openHarness } from '../support/harness.ts'

const HOUR = 3_600_000
const BALANCE = '/v1/account/balance'

const answers = async (harness: Pick<Bench, 'call'> & Pick<Harness, 'demo'>, clientSecret: string) =>
  (await harness.call('GET', BALANCE, { authorization: basic({ ...harness.demo, clientSecret }) })).status

describe('a rotation', () => {
  it.each(ENGINES)('gives the new key, and then the old one, on %s', async (engine) => {
    const bench = await openBench({ database: await aPlace(engine) })
    const old = bench.demo.clientSecret
    const { Secret } = await rotate(bench, 'client', 'PT1H')
    expect([await answers(bench, old), await answers(bench, Secret)]).toEqual([200, 200])
    await bench.advance(HOUR + 1_000)
    expect([await answers(bench, old), await answers(bench, Secret)]).toEqual([401, 200])
  })

  it('in one process is known to another a second later', async () => {
    const database = await aPlace('PostgreSQL')
    let passed = 0
    const clock = { ...systemClock, elapsed: () => passed }
    const [first, second] = [await openFront(database), await openFront(database, {}, { clock })]
    onTestFinished(async () => {
      await Promise.all([first.close(), second.close()])
    })
    const { demo } = first.gateway
    if (!demo) throw new Error('expected a demo account')
    const balance = async (url: string, clientSecret: string) =>
      (await call(url, { ...demo, clientSecret }, { path: BALANCE })).status
    expect(await balance(second.url, demo.clientSecret)).toBe(200)
    const by = {
      call: async (method: string, path: string, _: object, body?: object) => {
        const { text, ...init } = await call(first.url, demo, { method, path, ...(body && { body }) })
        return new Response(text, init)
      },
    }
    const { Secret } = await rotate(by, 'client', 'PT0S')
    expect(await balance(second.url, Secret)).toBe(200)
    passed += 1_000
    expect(await balance(second.url, demo.clientSecret)).toBe(401)
  })

  it('by the operator ends the old keys at once, unless they are to be kept', async () => {
    const harness = await openHarness()
    const { accountId, clientSecret } = harness.demo
    const second = await harness.operator.rotateSecret(accountId, 24 * HOUR)
    expect([await answers(harness, clientSecret), await answers(harness, second.clientSecret)]).toEqual([
      200, 200,
    ])
    const third = await harness.operator.rotateSecret(accountId)
    await harness.advance(1_000)
    const all = [clientSecret, second.clientSecret, third.clientSecret]
    expect(await Promise.all(all.map((secret) => answers(harness, secret)))).toEqual([401, 401, 200])
  })

  it('leaves what has ended for a day, and then deletes it', async () => {
    const harness = await openHarness()
    await rotate(harness, 'wallet', 'PT1H')
    const rows = async () => (await harness.database.read(({ run }) => run('SELECT id FROM keys', []))).length
    await harness.advance(20 * HOUR)
    expect(await rows()).toBe(4)
    await harness.advance(7 * HOUR)
    expect(await rows()).toBe(3)
  })
})
