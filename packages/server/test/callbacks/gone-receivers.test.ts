import { describe, expect, it } from 'vitest'
import { A_MINUTE, pageOf, replayFailed, sendWithCallback } from '../isolation/callbacks.ts'
import { headersOf, newAccount } from '../isolation/world.ts'
import { aPlace, type Bench, openBench } from '../support/bench.ts'
import { BULK } from '../support/harness.ts'

const LONG_AGO = '2020-01-01T00:00:00Z'
/** No more than an account may have under way: the rest would wait, and not be posted any more. */
const MANY = 12

/** Callbacks to a host that is gone, each of which was posted once and given up. */
async function openGone(engine: 'SQLite in memory' | 'PostgreSQL') {
  let status = 410
  const bench = await openBench({
    database: await aPlace(engine),
    answer: ({ url }) => new Response('', { status: url.includes('gone') ? status : 200 }),
  })
  const Recipients = Array.from({ length: MANY }, (_, index) => ({ To: `23324${1_000_100 + index}` }))
  const body = { ...BULK, CallbackUrl: 'https://gone.example/sms', Recipients }
  expect((await bench.call('POST', '/v1/messages/sms/bulk/otm', {}, body)).status).toBe(200)
  await bench.until('each was given up', async () => (await inState(bench, 'dead')).length === MANY)
  return {
    bench,
    postsTo: (host: string) => bench.posted.filter(({ url }) => url.includes(host)).length,
    comeBack: () => {
      status = 200
    },
  }
}

const inState = async (bench: Bench, State: string) => (await pageOf(bench, { State, Limit: '200' })).Items

describe.each(['SQLite in memory', 'PostgreSQL'] as const)('a host that answered 410 on %s', (engine) => {
  it('is asked again by one post after each pause, and gets everything when it is back', async () => {
    const { bench, postsTo, comeBack } = await openGone(engine)
    expect(await replayFailed(bench, LONG_AGO)).toEqual({ Replayed: MANY, Skipped: 0 })
    const before = postsTo('gone')
    await bench.advance(10 * A_MINUTE)
    // After 5, 10, 20, 40, 80, 160 and 320 seconds, or later.
    expect(postsTo('gone') - before).toBeGreaterThan(0)
    expect(postsTo('gone') - before).toBeLessThan(8)
    const [waiting] = await inState(bench, 'pending')
    expect(waiting?.Attempts.at(-1)).toMatchObject({ ErrorClass: 'receiver_gone', LatencyMs: 0 })
    expect(waiting?.Attempts.at(-1)).not.toHaveProperty('HttpStatus')
    comeBack()
    const isBack = async () => (await inState(bench, 'delivered')).length > 0
    await bench.until('one was delivered', isBack, 60 * A_MINUTE)
    await replayFailed(bench, LONG_AGO)
    await bench.until('all are delivered', async () => (await inState(bench, 'delivered')).length === MANY)
  })

  it('delays neither other hosts nor other accounts', async () => {
    const { bench, postsTo } = await openGone(engine)
    await replayFailed(bench, LONG_AGO)
    const before = postsTo('gone')
    const other = headersOf(await newAccount(bench, 'other'))
    await sendWithCallback(bench, { CallbackUrl: 'https://there.example/sms' })
    await sendWithCallback(bench, { CallbackUrl: 'https://gone.example/sms' }, other)
    await bench.until('both were posted', () => postsTo('there') === 1 && postsTo('gone') > before)
    const { Items } = await pageOf(bench, {}, other)
    expect(Items).toMatchObject([{ State: 'dead', Attempts: [{ HttpStatus: 410 }] }])
  })
})
