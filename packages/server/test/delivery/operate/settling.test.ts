import { describe, expect, it } from 'vitest'
import { OperatorCarriers } from '../../../src/delivery/operate/carriers.ts'
import { epochMs, type Ticket, TicketMaker } from '../../../src/kernel/ids.ts'
import { aPlace, type Bench, ENGINES, openBench } from '../../support/bench.ts'
import { countingRows } from '../../support/counting-rows.ts'
import { eventually } from '../../support/eventually.ts'
import { MESSAGE } from '../../support/harness.ts'
import { simulated } from '../../support/simulated.ts'
import { turns } from '../../support/turns.ts'
import { accepted, openDelivery, PRICE } from '../delivering.ts'

const newId = new TicketMaker((size) => new Uint8Array(size).fill(9)).make
const UNCONFIRMED =
  "Handed to the carrier, which has not confirmed it. It is not sent again, so that it can't arrive twice."

/** A gateway whose carrier neither answers nor sends receipts. */
async function openSilent(database: string): Promise<Bench> {
  const simulator = simulated({ unanswered: 100, forget: 100 })
  return openBench({ database, config: { simulator } })
}

async function sendUncertain(bench: Bench): Promise<Ticket> {
  const before = (await bench.carriers.uncertain(1)).total
  const { Ticket } = (await (await bench.call('POST', '/v1/messages/sms', {}, MESSAGE)).json()) as {
    Ticket: Ticket
  }
  await bench.until('it is uncertain', async () => (await bench.carriers.uncertain(1)).total > before)
  return Ticket
}

const actionsOf = ({ database }: Bench) =>
  database.read(({ run }) =>
    run<{ action: string; detail: string }>(
      "SELECT action, detail FROM audit WHERE action = 'message.settle' ORDER BY id",
      [],
    ),
  )

describe.each(ENGINES)('uncertain messages on %s', (engine) => {
  it('are listed with their sender, when they were submitted, and what is held for them', async () => {
    const bench = await openSilent(await aPlace(engine))
    const sentAt = bench.now()
    const ticket = await sendUncertain(bench)
    await bench.advance(60_000)
    const listed = await bench.carriers.uncertain(10)
    expect(listed).toMatchObject({
      total: 1,
      messages: [{ ticket, carrier: 'simulator', sender: 'WIGWAG', price: PRICE, currency: 'GHS' }],
    })
    expect(listed.messages[0]?.handedAt).toBe(sentAt)
    expect(await bench.carriers.stuck(bench.now(), 10)).toEqual([])
  })

  it('are told to their customer in words, and keep carrier and time when an operator ends them', async () => {
    const bench = await openSilent(await aPlace(engine))
    const sentAt = bench.now()
    const ticket = await sendUncertain(bench)
    const shown = async () => (await bench.call('GET', `/v1/messages/${ticket}`)).json()
    const At = new Date(sentAt).toISOString()
    expect(await shown()).toMatchObject({
      Status: 'pending',
      Timeline: [{ Event: 'accepted' }, { At, Event: 'submitted', Detail: UNCONFIRMED }],
    })
    await bench.advance(3_600_000)
    expect(await bench.carriers.settle(ticket, 'failed')).toMatchObject({ settled: true })
    const { Timeline } = await shown()
    expect(Timeline).toMatchObject([{ Event: 'accepted' }, { At, Event: 'submitted' }, { Event: 'failed' }])
    expect(Timeline[1]).not.toHaveProperty('Detail')
    const followed = await bench.messages.show(ticket, { text: false })
    expect(followed).toMatchObject({ carrier: 'simulator', submittedAt: sentAt })
  })

  it('are settled together: those of a carrier, submitted before a time, each once and audited', async () => {
    const bench = await openSilent(await aPlace(engine))
    const { carriers } = bench
    const [first, second] = [await sendUncertain(bench), await sendUncertain(bench)]
    await bench.advance(3_600_000)
    const between = epochMs(bench.now())
    const third = await sendUncertain(bench)
    expect(await carriers.uncertainSums({ before: between })).toEqual([
      { carrier: 'simulator', currency: 'GHS', messages: 2, held: 2 * PRICE },
    ])
    expect(await carriers.uncertainSums({ since: between })).toMatchObject([{ messages: 1, held: PRICE }])
    expect(await carriers.uncertainSums({ carrier: 'north' })).toEqual([])

    expect(await carriers.settleAll({ carrier: 'north' }, 'failed')).toEqual({ settled: 0, left: 0 })
    const which = { carrier: 'simulator', before: between }
    expect(await carriers.settleAll(which, 'failed')).toEqual({ settled: 2, left: 0 })
    expect(await carriers.settleAll(which, 'success')).toEqual({ settled: 0, left: 0 })
    expect((await carriers.uncertain(10)).messages.map(({ ticket }) => ticket)).toEqual([third])
    const rows = await actionsOf(bench)
    expect(rows.map(({ detail }) => JSON.parse(detail))).toEqual(
      [first, second].map((ticket) => ({ ticket, carrier: 'simulator', status: 'failed' })),
    )
  })

  it('are settled by two operators at the same time, each message by one of them', async () => {
    const bench = await openSilent(await aPlace(engine))
    for (let sent = 0; sent < 3; sent++) await sendUncertain(bench)
    const both = await Promise.all([
      bench.carriers.settleAll({}, 'success'),
      bench.carriers.settleAll({}, 'failed'),
    ])
    expect(both[0].settled + both[1].settled).toBe(3)
    expect(await actionsOf(bench)).toHaveLength(3)
  })

  it('are gone on with after a stop in the middle', async () => {
    const bench = await openSilent(await aPlace(engine))
    for (let sent = 0; sent < 3; sent++) await sendUncertain(bench)
    const stop = () => {
      throw new Error('on purpose')
    }
    await expect(bench.carriers.settleAll({}, 'failed', stop)).rejects.toThrow('on purpose')
    expect((await bench.carriers.uncertain(10)).total).toBe(2)
    expect(await bench.carriers.settleAll({}, 'failed')).toEqual({ settled: 2, left: 0 })
    expect(await actionsOf(bench)).toHaveLength(3)
  })
})

it('finds the uncertain messages of a carrier’s list, by ticket and by its reference', async () => {
  const opened = await openDelivery({ carriers: ['north', 'south'] })
  const { carrier, send, work } = opened
  const parts = new OperatorCarriers({ ...opened, newId })
  carrier.onSubmit = () => ({ kind: 'uncertain' })
  const [half, whole] = [await send(), await send()]
  await work()
  carrier.answerLate(half, { kind: 'accepted', refs: [{ part: 1, ref: 'b' }], parts: 2 })
  await turns()
  carrier.onSubmit = () => accepted('taken')
  const taken = await send()
  await work()

  const names = ['b', whole.toUpperCase(), taken, 'zzz']
  const named = await parts.uncertainNamed(names, undefined)
  const found = [...named.uncertain].map(([name, { ticket }]) => [name, ticket])
  expect(found).toEqual([
    ['b', half],
    [whole.toUpperCase(), whole],
  ])
  expect(named).toMatchObject({ others: [taken], unknown: ['zzz'] })
  const ofSouth = await parts.uncertainNamed(names, 'south')
  expect(ofSouth.uncertain.size).toBe(0)
  expect(ofSouth).toMatchObject({ others: [whole.toUpperCase(), taken], unknown: ['b', 'zzz'] })
})

describe.each(ENGINES)('receipts beside uncertain messages, on %s', (engine) => {
  it('are offered with the messages to their number, and one decides about one', async () => {
    const opened = await openDelivery({ place: await aPlace(engine), carriers: ['north'] })
    const { carrier, send, work, message, refs } = opened
    const parts = new OperatorCarriers({ ...opened, newId })
    carrier.onSubmit = () => ({ kind: 'uncertain' })
    const [first, second, other] = [await send(), await send(), await send('233241000009')]
    await work()
    const receipt = { verdict: 'success', recipient: '233241234567' } as const
    await carrier.take([
      { ...receipt, ref: 'F1' },
      { ...receipt, ref: 'F2', verdict: 'expired' },
    ])
    const { messages } = await parts.uncertain(10)
    const found = await parts.receiptsFor(messages)
    expect([...found.keys()].sort()).toEqual([first, second].sort())
    expect(found.get(second)).toMatchObject([
      { ref: 'F1', verdict: 'success' },
      { ref: 'F2', verdict: 'expired' },
    ])
    expect(await parts.settleBy(other, 'F1')).toMatchObject({
      settled: false,
      message: { isUncertain: true },
    })
    expect(await parts.settleBy(first, 'F2')).toMatchObject({ settled: true, message: { status: 'expired' } })
    expect(await parts.settleBy(second, 'F2')).toMatchObject({ settled: false })
    expect(await message(first)).toMatchObject({ cost: 0, carrierRef: 'F2', carrier: 'north' })
    // The receipt that is left now fits one message alone.
    await opened.fleet.matchReceipts()
    expect(await message(second)).toMatchObject({ status: 'success', cost: PRICE, carrierRef: 'F1' })
    await eventually('nothing is left of them', async () => (await refs()).length === 0)
  })

  it('are read together for many messages', async () => {
    const opened = await openDelivery({ place: await aPlace(engine), carriers: ['north'] })
    opened.carrier.onSubmit = () => ({ kind: 'uncertain' })
    for (let last = 0; last < 8; last++) await opened.send(`23324100000${last}`)
    await opened.work()
    const { database, rows } = countingRows(opened.database)
    const parts = new OperatorCarriers({ ...opened, database, newId })
    const { messages } = await parts.uncertain(10)
    const before = rows()
    await parts.receiptsFor(messages)
    expect({ messages: messages.length, statements: rows() - before }).toEqual({ messages: 8, statements: 1 })
  })
})
