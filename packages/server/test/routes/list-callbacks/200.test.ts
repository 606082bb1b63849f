import { describe, expect, it } from 'vitest'
import { A_MINUTE, onlyOf, pageOf, sendWithCallback, URL_OF_RECEIVER } from '../../isolation/callbacks.ts'
import { type Answer, aPlace, ENGINES, openBench } from '../../support/bench.ts'

describe.each(ENGINES)('listCallbacks on %s: 200', (engine) => {
  it('answers every attempt: its time, status and latency, what went wrong, and the reply', async () => {
    const answers: Answer[] = [
      { failure: 'timeout', detail: 'nothing came within 15000 ms' },
      new Response('<h1>Not now</h1>\0', { status: 503 }),
      new Response('é'.repeat(1_100), { status: 302 }),
    ]
    const answer = () => answers.shift() ?? new Response('thanks', { status: 202 })
    const bench = await openBench({ database: await aPlace(engine), answer })
    const Ticket = await sendWithCallback(bench)
    await bench.until('four attempts', () => bench.posted.length === 4, 20 * A_MINUTE)
    await bench.until('they are recorded', async () => (await onlyOf(bench)).State === 'delivered')
    const { Attempts, ...callback } = await onlyOf(bench)
    const [posted] = bench.posted
    expect(callback).toEqual({
      Id: posted?.headers['webhook-id'],
      Ticket,
      Url: URL_OF_RECEIVER,
      State: 'delivered',
      DateCreated: expect.any(String),
    })
    expect(Attempts.map(({ At, ...attempt }) => attempt)).toEqual([
      { LatencyMs: 7, ErrorClass: 'timeout', Reply: 'nothing came within 15000 ms' },
      { LatencyMs: 42, HttpStatus: 503, ErrorClass: 'http_status', Reply: '<h1>Not now</h1>\uFFFD' },
      { LatencyMs: 42, HttpStatus: 302, ErrorClass: 'http_status', Reply: 'é'.repeat(1_024) },
      { LatencyMs: 42, HttpStatus: 202, Reply: 'thanks' },
    ])
    const times = Attempts.map(({ At }) => Date.parse(At))
    const signed = bench.posted.map(({ headers }) => Number(headers['webhook-timestamp']))
    expect(times.map((time) => Math.floor(time / 1_000))).toEqual(signed)
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })

  it('says when a callback is tried next, and of one that is given up that it is not', async () => {
    const bench = await openBench({ database: await aPlace(engine) })
    bench.answer = () => new Response('', { status: 500 })
    await sendWithCallback(bench)
    await bench.until('a first attempt', () => bench.posted.length === 1)
    await bench.until('it is recorded', async () => (await onlyOf(bench)).Attempts.length === 1, 0)
    const { State, NextAttemptAt = '', Attempts } = await onlyOf(bench)
    expect(State).toBe('pending')
    const wait = Date.parse(NextAttemptAt) - Date.parse(Attempts[0]?.At ?? '')
    expect(wait).toBeGreaterThanOrEqual(4_000)
    expect(wait).toBeLessThanOrEqual(6_000)
    bench.answer = () => new Response('gone', { status: 410 })
    await bench.until('it is given up', async () => (await onlyOf(bench)).State === 'dead', A_MINUTE)
    const dead = await onlyOf(bench)
    expect(dead).not.toHaveProperty('NextAttemptAt')
    expect(dead.Attempts).toHaveLength(2)
  })

  it('takes a state, a ticket, and both, and reads on page by page while new callbacks come', async () => {
    const bench = await openBench({
      database: await aPlace(engine),
      answer: ({ url }) => new Response('', { status: url.endsWith('gone') ? 410 : 200 }),
    })
    const tickets: string[] = []
    for (let n = 0; n < 7; n++) {
      const CallbackUrl = `https://receiver.example/${n % 3 === 0 ? 'gone' : 'there'}`
      tickets.push(await sendWithCallback(bench, { CallbackUrl }))
      await bench.advance(1)
    }
    const settled = async () => (await pageOf(bench, { State: 'pending' })).Items.length === 0
    await bench.until('all were posted', async () => bench.posted.length === 7 && (await settled()))
    const ticketsOf = async (query: Record<string, string>) =>
      (await pageOf(bench, query)).Items.map(({ Ticket }) => tickets.indexOf(Ticket))
    expect(await ticketsOf({})).toEqual([6, 5, 4, 3, 2, 1, 0])
    expect(await ticketsOf({ State: 'dead' })).toEqual([6, 3, 0])
    expect(await ticketsOf({ State: 'delivered' })).toEqual([5, 4, 2, 1])
    expect(await ticketsOf({ Ticket: (tickets[3] ?? '').toUpperCase() })).toEqual([3])
    expect(await ticketsOf({ Ticket: tickets[3] ?? '', State: 'delivered' })).toEqual([])
    const found: number[] = []
    let query: Record<string, string> = { Limit: '2' }
    for (let pages = 0; pages < 4; pages++) {
      const { Items, NextCursor } = await pageOf(bench, query)
      found.push(...Items.map(({ Ticket }) => tickets.indexOf(Ticket)))
      expect(NextCursor === undefined).toBe(pages === 3)
      query = { Limit: '2', Cursor: NextCursor ?? '' }
      await sendWithCallback(bench)
      await bench.advance(2_000)
    }
    expect(found).toEqual([6, 5, 4, 3, 2, 1, 0])
  })
})
