import { verifyCallback } from '@wigwag/sdk'
import { describe, expect, it } from 'vitest'
import { A_MINUTE, onlyOf, replay, sendWithCallback, untilState } from '../../isolation/callbacks.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../../support/bench.ts'

async function onlyOfOrNone(bench: Bench) {
  return onlyOf(bench).catch(() => undefined)
}

describe.each(ENGINES)('replayCallback on %s: 200', (engine) => {
  it('posts a delivered callback again at once: the same id and bytes, signed anew', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    await sendWithCallback(bench)
    await bench.until('it is delivered', async () => (await onlyOfOrNone(bench))?.State === 'delivered')
    const before = await onlyOf(bench)
    await bench.advance(60 * A_MINUTE)
    const queued = await replay(bench, before.Id.toUpperCase())
    expect(queued).toEqual({
      ...before,
      State: 'pending',
      NextAttemptAt: new Date(bench.now()).toISOString(),
    })
    await bench.until('it is posted again', () => bench.posted.length === 2, 0)
    const [first, second] = bench.posted
    expect(second?.body).toBe(first?.body)
    expect(second?.url).toBe(first?.url)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second?.headers['webhook-signature']).not.toBe(first?.headers['webhook-signature'])
    expect(Number(second?.headers['webhook-timestamp'])).toBe(Math.floor(bench.now() / 1_000))
    const request = new Request('https://receiver.example', { method: 'POST', ...second })
    await verifyCallback(request, bench.demo.callbackSecret, { now: bench.now })
    await untilState(bench, before.Id, 'delivered')
    expect((await onlyOf(bench)).Attempts).toHaveLength(2)
  })

  it('brings a waiting one forward, and starts its attempts anew', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    bench.answer = () => new Response('', { status: 500 })
    await sendWithCallback(bench)
    const attempts = async () => (await onlyOfOrNone(bench))?.Attempts.length ?? 0
    await bench.until('three attempts', async () => (await attempts()) === 3, 20 * A_MINUTE)
    const { Id } = await onlyOf(bench)
    await replay(bench, Id)
    await bench.until('it is tried at once', async () => (await attempts()) === 4, 0)
    const { State, NextAttemptAt = '' } = await onlyOf(bench)
    expect(State).toBe('pending')
    expect(Date.parse(NextAttemptAt) - bench.now()).toBeLessThanOrEqual(6_000)
  })
})

describe('replayCallback: 200', () => {
  it('tries a dead one again as if it were new: ten attempts, and dead once more', async () => {
    const bench = await openBench()
    bench.answer = () => new Response('', { status: 410 })
    await sendWithCallback(bench)
    await bench.until('it is dead', async () => (await onlyOfOrNone(bench))?.State === 'dead')
    bench.answer = () => new Response('', { status: 500 })
    const { Id } = await onlyOf(bench)
    await replay(bench, Id)
    await bench.until(
      'it is dead again',
      async () => (await onlyOf(bench)).State === 'dead',
      25 * 60 * A_MINUTE,
    )
    const { Attempts } = await onlyOf(bench)
    expect(Attempts).toHaveLength(11)
    expect(bench.posted).toHaveLength(11)
    expect(new Set(bench.posted.map(({ body }) => body)).size).toBe(1)
  })
})
