import { describe, expect, it } from 'vitest'
import { epochMs } from '../../src/kernel/ids.ts'
import { A_MINUTE, sendWithCallback } from '../isolation/callbacks.ts'
import { aPlace, ENGINES, openBench } from '../support/bench.ts'

const AN_HOUR = 60 * A_MINUTE
const ALL = { ticket: undefined, since: undefined }

describe.each(ENGINES)('an operator who posts again what was given up, on %s', (engine) => {
  it('finds it without a time: it was made more than three days ago', async () => {
    const bench = await openBench({
      database: await aPlace(engine),
      answer: ({ url }) => new Response('', { status: url.endsWith('dead') ? 410 : 503 }),
    })
    const { callbacks } = bench
    const inState = async (state: 'dead' | 'pending') =>
      (await callbacks.list(undefined, { ...ALL, state }, 10)).map(({ messageId }) => messageId)
    const ticket = await sendWithCallback(bench, { CallbackUrl: 'https://receiver.example/dead' })
    await bench.until('it was given up', async () => (await inState('dead')).length === 1)
    bench.jump(75 * AN_HOUR)
    const waiting = await sendWithCallback(bench, { CallbackUrl: 'https://receiver.example/waits' })
    await bench.advance(A_MINUTE)
    expect(await inState('pending')).toEqual([waiting])

    const threeDaysAgo = epochMs(bench.now() - 72 * AN_HOUR)
    const since = await callbacks.list(undefined, { ...ALL, state: 'dead', since: threeDaysAgo }, 10)
    expect(since).toEqual([])
    const replayed = [{ accountId: bench.demo.accountId, replayed: 1, skipped: 0 }]
    expect(await callbacks.replay(undefined, { since: undefined, state: 'dead' })).toEqual(replayed)
    expect(await callbacks.replay(undefined, { since: undefined, state: 'dead' })).toEqual([])
    const due = (await callbacks.list(undefined, { ...ALL, state: 'pending' }, 10)).filter(
      ({ nextAttemptAt }) => nextAttemptAt === bench.now(),
    )
    expect(due.map(({ messageId }) => messageId)).toEqual([ticket])
    await bench.advance(1)
    expect(await callbacks.replay(undefined, { since: undefined, state: 'pending' })).toEqual(replayed)
    expect((await inState('pending')).sort()).toEqual([ticket, waiting].sort())
  })
})
