import { describe, expect, it } from 'vitest'
import {
  A_MINUTE,
  onlyOf,
  pageOf,
  replay,
  replayFailed,
  sendWithCallback,
} from '../../isolation/callbacks.ts'
import { headersOf, newAccount } from '../../isolation/world.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../../support/bench.ts'
import { BULK } from '../../support/harness.ts'

const inState = async (bench: Bench, State: string) => (await pageOf(bench, { State, Limit: '200' })).Items

const attemptsOf = async (bench: Bench, Ticket: string) =>
  (await pageOf(bench, { Ticket })).Items[0]?.Attempts.length ?? 0

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
    expect(await replayFailed(bench, Since)).toEqual({ Replayed: 2, Skipped: 0 })
    await bench.until('both are delivered', async () => (await inState(bench, 'dead')).length === 1, 0)
    await bench.until('nothing waits', async () => (await inState(bench, 'pending')).length === 0, 0)
    expect(bench.posted).toHaveLength(6)
    expect(await replayFailed(bench, Since)).toEqual({ Replayed: 0, Skipped: 0 })
    const early = new Date(Date.parse(Since) - 1).toISOString()
    expect(await replayFailed(bench, early)).toEqual({ Replayed: 0, Skipped: 0 })
    expect(await replayFailed(bench, '1970-01-01T02:00:00+02:00')).toEqual({ Replayed: 1, Skipped: 0 })
    await bench.until('none is dead', async () => (await inState(bench, 'delivered')).length === 4, 0)
  })

  it('posts at once what waits for a later attempt, with a new plan of attempts', async () => {
    const bench = await openBench({
      database: await aPlace(engine),
      answer: () => new Response('', { status: 503 }),
    })
    const early = await sendWithCallback(bench)
    await bench.until('it was tried often', () => bench.posted.length === 4, 10 * A_MINUTE)
    await sendWithCallback(bench)
    await bench.until('the second was tried', () => bench.posted.length === 6)
    await bench.advance(0)
    const [second, first] = await inState(bench, 'pending')
    expect(first).toMatchObject({ Ticket: early, Attempts: { length: 4 } })
    bench.answer = () => new Response('', { status: 500 })
    expect(await replayFailed(bench, second?.DateCreated ?? '')).toEqual({ Replayed: 1, Skipped: 0 })
    await bench.until('it was posted', () => bench.posted.length === 7, 0)
    await bench.advance(0)
    expect(await replayFailed(bench, '2020-01-01T00:00:00Z')).toEqual({ Replayed: 2, Skipped: 0 })
    await bench.until('both were posted', () => bench.posted.length === 9, 0)
    await bench.advance(0)
    const again = await inState(bench, 'pending')
    // A new plan begins with a pause of five seconds.
    for (const { NextAttemptAt = '' } of again) {
      expect(Date.parse(NextAttemptAt) - bench.now()).toBeLessThanOrEqual(6_000)
    }
    bench.answer = () => new Response('at last')
    expect(await replayFailed(bench, '2020-01-01T00:00:00Z')).toEqual({ Replayed: 2, Skipped: 0 })
    await bench.until('both are delivered', async () => (await inState(bench, 'delivered')).length === 2, 0)
  })

  it('finds all that wait, in several slices', async () => {
    const bench = await openBench({
      database: await aPlace(engine),
      answer: () => new Response('', { status: 503 }),
    })
    const many = 501
    const Recipients = Array.from({ length: many }, (_, index) => ({ To: `23324${1_000_100 + index}` }))
    const body = { ...BULK, CallbackUrl: 'https://receiver.example/sms', Recipients }
    expect((await bench.call('POST', '/v1/messages/sms/bulk/otm', {}, body)).status).toBe(200)
    await bench.until('each was tried', () => bench.posted.length >= many)
    await bench.advance(0)
    expect(await replayFailed(bench, '2020-01-01T00:00:00Z')).toEqual({ Replayed: many, Skipped: 0 })
  })

  it("leaves another account's alone", async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    bench.answer = () => new Response('', { status: 410 })
    await end(bench, 'gone')
    const others = headersOf(await newAccount(bench, 'other'))
    expect(await replayFailed(bench, '2020-01-01T00:00:00Z', others)).toEqual({ Replayed: 0, Skipped: 0 })
    expect(await inState(bench, 'dead')).toHaveLength(1)
  })

  it('skips what was posted again ten times today, dead or waiting, and says how many', async () => {
    const answer = { failure: 'blocked_address', detail: 'on purpose' } as const
    const bench = await openBench({ database: await aPlace(engine), answer: () => answer })
    for (const path of ['spent', 'fresh']) await end(bench, path)
    const [fresh, spent] = await inState(bench, 'dead')
    bench.answer = ({ url }) => (url.endsWith('waits') ? new Response('', { status: 503 }) : answer)
    const waits = await sendWithCallback(bench, { CallbackUrl: 'https://receiver.example/waits' })
    await bench.until('it was tried', async () => (await attemptsOf(bench, waits)) > 0)
    const waiting = await onlyOf(bench, { Ticket: waits })
    for (const Id of [spent?.Id, waiting.Id]) {
      for (let times = 0; times < 10; times++) {
        await replay(bench, Id ?? '')
        await bench.advance(0)
      }
    }
    const before = bench.posted.length
    expect(await replayFailed(bench, '2020-01-01T00:00:00Z')).toEqual({ Replayed: 1, Skipped: 2 })
    await bench.advance(0)
    expect(bench.posted).toHaveLength(before + 1)
    expect(bench.posted.at(-1)?.headers['webhook-id']).toBe(fresh?.Id)
    await bench.advance(24 * 60 * A_MINUTE)
    expect(await replayFailed(bench, '2020-01-01T00:00:00Z')).toMatchObject({ Skipped: 0 })
  })
})
