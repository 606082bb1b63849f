import { zMessage } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { answerOf } from '../../isolation/requests.ts'
import { aPlace, type Bench, type BenchOptions, ENGINES, openBench } from '../../support/bench.ts'
import { eventually } from '../../support/eventually.ts'
import { MESSAGE } from '../../support/harness.ts'

type Message = z.infer<typeof zMessage>

const CALLBACK = { CallbackUrl: 'https://receiver.example/sms' }

async function sent(bench: Bench, fields: object = {}): Promise<string> {
  const path = 'SendAt' in fields ? '/v1/messages/sms/scheduled' : '/v1/messages/sms'
  const { Ticket } = await (await bench.call('POST', path, {}, { ...MESSAGE, ...fields })).json()
  return Ticket
}
const messageOf = ({ call }: Bench, id: string): Promise<Message> =>
  answerOf(call('GET', `/v1/messages/${id}`), zMessage)
const happened = ({ Timeline }: Message) => Timeline.map(({ Event }) => Event)
const open = (options?: BenchOptions) => openBench(options)

describe('getMessage: 200', () => {
  it('answers the transaction and what it does not say', async () => {
    const bench = await open()
    const id = await sent(bench, { Content: 'ш'.repeat(71), Reference: 'r-1' })
    await bench.advance(2_000)
    const transaction = await (await bench.call('GET', `/v1/transactions/${id}/status`)).json()
    expect(await messageOf(bench, id.toUpperCase())).toEqual({
      ...transaction,
      SentBy: { Kind: 'api', Name: bench.demo.clientId },
      Segments: 2,
      Encoding: 'UCS-2',
      Country: 'GH',
      Network: 'MTN',
      Timeline: [
        { At: '2026-01-05T09:00:00.125Z', Event: 'accepted' },
        { At: '2026-01-05T09:00:00.125Z', Event: 'submitted' },
        { At: '2026-01-05T09:00:01.125Z', Event: 'success' },
      ],
    })
  })

  it('names no network where the number tells none, and no reason while there is none', async () => {
    const bench = await open()
    const message = await messageOf(bench, await sent(bench, { To: '12025550123' }))
    expect(message.Country).toBe('US')
    for (const field of ['Network', 'FailureReason', 'SendAt']) expect(message).not.toHaveProperty(field)
  })

  it.each([
    ['00001', 'undelivered', ['accepted', 'submitted', 'undelivered']],
    ['00002', 'expired', ['accepted', 'submitted', 'expired']],
    ['00003', 'rejected', ['accepted', 'rejected']],
    ['00004', 'failed', ['accepted', 'failed']],
    ['00005', 'pending', ['accepted', 'submitted']],
  ])('tells how a message to …%s ended, and why', async (digits, status, events) => {
    const bench = await open()
    const id = await sent(bench, { To: `2332412${digits}` })
    await bench.advance(200_000)
    const message = await messageOf(bench, id)
    expect([message.Status, happened(message)]).toEqual([status, events])
    const reason = message.Timeline.at(-1)?.Detail
    expect(message.FailureReason).toBe(reason)
    expect(reason ?? '').toMatch(status === 'pending' ? /^$/ : /^[A-Z].{10}/)
  })

  it('keeps the receipts that came too late, and lets the first one stand', async () => {
    const bench = await open()
    const id = await sent(bench, { To: '233241200006' })
    await bench.advance(3_000)
    const message = await messageOf(bench, id)
    expect(happened(message)).toEqual(['accepted', 'submitted', 'success', 'receipt', 'receipt', 'receipt'])
    const details = message.Timeline.flatMap(({ Detail }) => Detail ?? [])
    expect(details).toContain('undelivered, after the message was final')
  })
})

describe.each(ENGINES)('the timeline of a message on %s', (engine) => {
  it('goes from its schedule over its end to the attempts at its callback, in order', async () => {
    const answers = [
      { failure: 'timeout', detail: 'nothing came' } as const,
      new Response('', { status: 503 }),
    ]
    const answer = () => answers.shift() ?? new Response('ok')
    const bench = await open({ database: await aPlace(engine), answer })
    const SendAt = '2026-01-05T09:10:00Z'
    const id = await sent(bench, { ...CALLBACK, SendAt })
    expect(happened(await messageOf(bench, id))).toEqual(['scheduled'])
    await bench.advance(599_875)
    const has = (event: string) =>
      eventually(event, async () => happened(await messageOf(bench, id)).some((each) => each === event))
    await has('submitted')
    await bench.advance(1_000)
    // Hours that pass while its receipt is being stored would have the carrier asked as well.
    await has('success')
    await bench.until('three attempts', () => bench.posted.length === 3, 120_000)
    await bench.until('the third is recorded', async () => (await messageOf(bench, id)).Timeline.length > 6)
    const message = await messageOf(bench, id)
    const events = ['scheduled', 'due', 'submitted', 'success']
    expect(happened(message)).toEqual([...events, 'callback_failed', 'callback_failed', 'callback_delivered'])
    expect(message.SendAt).toBe('2026-01-05T09:10:00.000Z')
    expect(message.Timeline[1]?.At).toBe(message.SendAt)
    expect(message.Timeline.slice(4).map(({ Detail }) => Detail)).toEqual([
      'timeout',
      'answered 503',
      'answered 200',
    ])
    const times = message.Timeline.map(({ At }) => At)
    expect(times).toEqual([...times].sort())
  })

  it('ends a cancelled one with its cancellation and the callback of that', async () => {
    const bench = await open({ database: await aPlace(engine) })
    const id = await sent(bench, { ...CALLBACK, SendAt: '2026-01-05T09:10:00Z' })
    await bench.advance(60_000)
    await bench.call('DELETE', `/v1/messages/sms/scheduled/${id}`)
    await bench.until('the callback', async () => (await messageOf(bench, id)).Timeline.length > 2)
    expect(happened(await messageOf(bench, id))).toEqual(['scheduled', 'cancelled', 'callback_delivered'])
  })
})
