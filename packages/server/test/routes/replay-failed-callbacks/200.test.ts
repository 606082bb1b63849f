import { describe, expect, it } from 'vitest'
import { A_MINUTE, pageOf, replayFailed, sendWithCallback } from '../../isolation/callbacks.ts'
import { headersOf, newAccount } from '../../isolation/world.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../../support/bench.ts'

const inState = async (bench: Bench, State: string) => (await pageOf(bench, { State, Limit: '200' })).Items

/** Sends to a receiver and waits until its callback is dead or delivered. */
async function end(bench: Bench, path: string): Promise<string> {
  const ticket = await sendWithCallback(bench, { CallbackUrl: `https://receiver.example/${path}` })
  const isSo = async () => {
    const { Items } = await pageOf(bench, { Ticket: ticket })
    return Items.some(({ State }) => State !== 'pending')
  }
  await bench.until('the callback ended', isSo)
  return ticket
}

describe.each(ENGINES)('replayFailedCallbacks on %s: 200', (engine) => {
  it('posts again what was given up on since a time, that and nothing else, and says how many', async () => {
    const bench = await openBench({
      database: await aPlace(engine),
      answer: ({ url }) => new Response('', { status: url.endsWith('gone') ? 410 : 200 }),
    })
    await end(bench, 'gone')
    await bench.advance(10 * A_MINUTE)
    const [since] = [await end(bench, 'gone')]
    await end(bench, 'there')
    await end(bench, 'gone')
    const dead = await inState(bench, 'dead')
    const Since = dead.find(({ Ticket }) => Ticket === since)?.DateCreated ?? ''
    expect(dead).toHaveLength(3)
    bench.answer = () => new Response('at last')
    expect(await replayFailed(bench, Since)).toEqual({ Replayed: 2 })
    await bench.until('both are delivered', async () => (await inState(bench, 'dead')).length === 1, 0)
    await bench.until('nothing waits', async () => (await inState(bench, 'pending')).length === 0, 0)
    expect(bench.posted).toHaveLength(6)
    expect(await replayFailed(bench, Since)).toEqual({ Replayed: 0 })
    const early = new Date(Date.parse(Since) - 1).toISOString()
    expect(await replayFailed(bench, early)).toEqual({ Replayed: 0 })
    expect(await replayFailed(bench, '1970-01-01T02:00:00+02:00')).toEqual({ Replayed: 1 })
    await bench.until('none is dead', async () => (await inState(bench, 'delivered')).length === 4, 0)
  })

  it("leaves another account's alone", async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    bench.answer = () => new Response('', { status: 410 })
    await end(bench, 'gone')
    const others = headersOf(await newAccount(bench, 'other'))
    expect(await replayFailed(bench, '2020-01-01T00:00:00Z', others)).toEqual({ Replayed: 0 })
    expect(await inState(bench, 'dead')).toHaveLength(1)
  })
})
