import { createGate, createMemoryJournal, parseAmount } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { type Connector, openConnector } from '../fixtures/connector.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'

const SEND = 'POST /v1/messages/sms'
const A_MINUTE = 60_000
const PRICE = 0.05

describe('a connection that may only read', () => {
  it('does not list the tools that write', async () => {
    const { mcp } = await openConnector({ canSend: false })
    const names = (await mcp.listTools()).tools.map(({ name }) => name)
    expect(names).toHaveLength(7)
    expect(names).not.toContain('send_sms')
  })

  it.each([
    ['send_sms', MESSAGE],
    ['schedule_sms', { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' }],
    ['cancel_scheduled', { ticket: 'x' }],
  ])('also refuses to call %s', async (tool, args) => {
    const { call, requests } = await openConnector({ canSend: false })
    expect(await call(tool, args)).toMatchObject({
      isError: true,
      text: expect.stringContaining(
        'Nothing was done: this connection may only read; ask the person who set it up to allow',
      ),
    })
    expect(requests).toEqual([])
  })
})

describe('the daily spend', () => {
  const limits = { dailySpend: parseAmount('0.12') }

  it('is exact to the micro, and the refusal says what is left', async () => {
    const { call, sandbox } = await priced({ limits })
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
    expect((await call('send_sms', { ...MESSAGE, content: 'Second' })).isError).toBe(false)
    const third = await call('send_sms', { ...MESSAGE, content: 'Third' })
    expect(third.isError).toBe(true)
    expect(third.text).toContain('costs 0.05, and 0.02 is left of the 0.12')
    expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(2)
  })

  it('is not affected by floating-point errors', async () => {
    const { call } = await priced({ limits: { dailySpend: parseAmount('0.000507') }, price: 0.000169 })
    for (const content of ['1', '2', '3']) {
      expect((await call('send_sms', { ...MESSAGE, content })).isError, content).toBe(false)
    }
    expect((await call('send_sms', { ...MESSAGE, content: '4' })).isError).toBe(true)
  })

  it('starts again each day, in UTC', async () => {
    const { call, sandbox } = await priced({ limits, startAt: new Date('2026-01-05T23:58:00Z') })
    await call('send_sms', MESSAGE)
    await call('send_sms', { ...MESSAGE, content: 'Second' })
    const third = { ...MESSAGE, content: 'Third' }
    expect((await call('send_sms', third)).isError).toBe(true)
    await sandbox.clock.advance(2 * A_MINUTE)
    expect((await call('send_sms', third)).isError).toBe(false)
  })

  it('counts scheduled messages too', async () => {
    const { call } = await priced({ limits })
    const later = { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' }
    for (const content of ['1', '2']) await call('schedule_sms', { ...later, content })
    expect((await call('send_sms', MESSAGE)).isError).toBe(true)
  })

  it('applies to concurrent calls', async () => {
    const { call, requests } = await priced({ limits })
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => call('send_sms', { ...MESSAGE, content: `${index}` })),
    )
    expect(results.filter(({ isError }) => !isError)).toHaveLength(2)
    expect(requests.filter((request) => request === SEND)).toHaveLength(2)
  })

  it('counts sends from before it was set, and allows none when the price of one is not known', async () => {
    const journal = createMemoryJournal()
    const before = await priced({ journal })
    for (const content of ['1', '2']) await before.call('send_sms', { ...MESSAGE, content })
    const after = await priced({ journal, limits })
    expect((await after.call('send_sms', MESSAGE)).text).toContain('0.02 is left of the 0.12')

    const unpriced = await priced({ journal, price: undefined })
    expect((await unpriced.call('send_sms', { ...MESSAGE, content: '3' })).isError).toBe(false)
    const strict = await priced({ journal, limits: { dailySpend: parseAmount('100') } })
    expect((await strict.call('send_sms', MESSAGE)).text).toContain('nor is what is left of the daily spend')
  })

  it.each([Number.NaN, -1, '0.01', null, undefined])('refuses a price of %s', async (price) => {
    const { call, requests } = await priced({ limits, price })
    expect((await call('send_sms', MESSAGE)).text).toMatch(
      /^Nothing was sent: .*(as the price|the answer of the gateway can not be used)/,
    )
    expect(requests).not.toContain(SEND)
  })
})

describe('the daily number of messages', () => {
  it('is not exceeded, and the refusal names it', async () => {
    const { call } = await openConnector({ limits: { dailyMessages: 1 } })
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
    expect((await call('send_sms', { ...MESSAGE, content: 'Second' })).text).toContain('1 message a day')
  })

  it('of 0 lets nothing through', async () => {
    const { call, requests } = await openConnector({ limits: { dailyMessages: 0 } })
    expect((await call('send_sms', MESSAGE)).isError).toBe(true)
    expect(requests).not.toContain(SEND)
  })

  it('does not count a send that certainly failed', async () => {
    const { call } = await openConnector({ limits: { dailyMessages: 1 } })
    expect((await call('send_sms', { ...MESSAGE, from: 'ACME' })).isError).toBe(true)
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
  })

  it('counts a send that may have gone out', async () => {
    const { call } = await openConnector({
      limits: { dailyMessages: 1 },
      before: async (request, gateway) => {
        await gateway(request)
        throw new TypeError('the connection broke')
      },
    })
    expect((await call('send_sms', MESSAGE)).text).toContain('It is not known whether the message went out')
    expect((await call('send_sms', { ...MESSAGE, content: 'Second' })).text).toContain('1 message a day')
  })
})

it('counts each connection separately', async () => {
  const journal = createMemoryJournal()
  const send = (connection: string, content: string) =>
    createGate({ connection, limits: { dailyMessages: 1 }, journal }).send({
      tool: 'send_sms',
      to: '1',
      message: { content },
      maxCost: undefined,
      idempotencyKey: undefined,
      estimate: async () => ({ Cost: 0 }),
      send: async () => ({ Ticket: `${connection} ${content}` }),
    })
  await send('ours', 'first')
  expect(await send('theirs', 'first')).toMatchObject({ result: { Ticket: 'theirs first' } })
  await expect(send('ours', 'second')).rejects.toThrow('1 message a day')
})

it('counts a send that ended with an unexpected error', async () => {
  const gate = createGate({ connection: 'test', limits: { dailyMessages: 1 } })
  const request = { tool: 'send_sms', to: '1', maxCost: undefined, estimate: async () => ({ Cost: 0 }) }
  const send = (content: string) =>
    gate.send({
      ...request,
      message: { content },
      idempotencyKey: undefined,
      send: async () => {
        throw new Error(`a fault in ${content}`)
      },
    })
  await expect(send('first')).rejects.toThrow('a fault in first')
  await expect(send('second')).rejects.toThrow('1 message a day')
})

describe('the recipients', () => {
  it('are whole numbers and prefixes', async () => {
    const { call, requests } = await openConnector({ limits: { recipients: ['233241234567', '23320*'] } })
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
    expect((await call('send_sms', { ...MESSAGE, to: '233201234567' })).isError).toBe(false)
    const before = requests.length
    for (const to of ['233241234568', '2332412345678', '233541234567']) {
      const { text } = await call('send_sms', { ...MESSAGE, to })
      expect(text).toContain(`may send to 233241234567, 23320*, and not to ${to}`)
    }
    expect(requests).toHaveLength(before)
  })
})

describe('max_cost', () => {
  it('refuses a message that costs more, and allows one that costs exactly as much', async () => {
    const { call, requests } = await priced({})
    expect((await call('send_sms', { ...MESSAGE, max_cost: 0.049 })).text).toContain(
      'costs 0.05, more than the max_cost of 0.049',
    )
    expect(requests).not.toContain(SEND)
    expect((await call('send_sms', { ...MESSAGE, max_cost: 0.05 })).isError).toBe(false)
  })
})

describe('the same message again', () => {
  it('is refused for two minutes, and the refusal names the ticket', async () => {
    const { call, sandbox } = await openConnector()
    const { data } = await call('send_sms', MESSAGE)
    const again = await call('send_sms', MESSAGE)
    expect(again.isError).toBe(true)
    expect(again.text).toContain(`its ticket is ${data.ticket}`)
    await sandbox.clock.advance(2 * A_MINUTE)
    expect((await call('send_sms', MESSAGE)).isError).toBe(false)
  })

  it('is refused while the first is still being sent', async () => {
    const { call, requests } = await openConnector()
    const results = await Promise.all([call('send_sms', MESSAGE), call('send_sms', MESSAGE)])
    expect(results.filter(({ isError }) => isError)).toHaveLength(1)
    expect(requests.filter((request) => request === SEND)).toHaveLength(1)
  })

  it('is sent when it has a new idempotency key', async () => {
    const { call } = await openConnector()
    const { data: first } = await call('send_sms', MESSAGE)
    const second = await call('send_sms', { ...MESSAGE, idempotency_key: 'once-more' })
    expect(second.isError).toBe(false)
    expect(second.data.ticket).not.toBe(first.ticket)
  })
})

it('a journal in memory drops entries that no limit needs any more', async () => {
  const journal = createMemoryJournal()
  const attempt = { connection: 'test', tool: 'send_sms', at: 0, digest: 'd', cost: null }
  const id = await journal.attempt(attempt, () => 'a')
  await journal.end({ id, at: 0, outcome: 'sent', ticket: 't' })
  const kept = (day: number) => journal.sent('test', day * 24 * 60 * A_MINUTE, 9)
  expect([await kept(1), await kept(2)]).toEqual([['t'], []])
})

describe('an idempotency key', () => {
  const keyed = { ...MESSAGE, idempotency_key: 'order-1' }

  it('makes a call safe to repeat, and the repeats do not count', async () => {
    const { call } = await openConnector({ limits: { dailyMessages: 1 } })
    const results = [
      await call('send_sms', keyed),
      await call('send_sms', keyed),
      await call('send_sms', keyed),
    ]
    expect(new Set(results.map(({ data }) => data.ticket)).size).toBe(1)
  })

  it('counts again after a day, when the gateway no longer knows it', async () => {
    const { call, sandbox } = await openConnector({ limits: { dailyMessages: 1 } })
    const { data: first } = await call('send_sms', keyed)
    await sandbox.clock.advance(25 * 60 * A_MINUTE)
    const { data: second } = await call('send_sms', keyed)
    expect(second.ticket).not.toBe(first.ticket)
    expect((await call('send_sms', { ...MESSAGE, content: 'Other' })).text).toContain('1 message a day')
  })

  it('is refused for another message', async () => {
    const { call, requests } = await openConnector()
    await call('send_sms', keyed)
    expect((await call('send_sms', { ...keyed, content: 'Other' })).text).toContain(
      'was used for another message',
    )
    expect(requests.filter((request) => request === SEND)).toHaveLength(1)
  })

  it('does not exceed the limit when the gateway does not honour it', async () => {
    const { call, requests } = await openConnector({
      limits: { dailyMessages: 2 },
      before: (request, gateway) => {
        request.headers.delete('idempotency-key')
        return gateway(request)
      },
    })
    for (let times = 0; times < 5; times++) await call('send_sms', keyed)
    expect(requests.filter((request) => request === SEND)).toHaveLength(2)
  })

  it('still counts when the first attempt fails after a repeat was allowed', async () => {
    const first = Promise.withResolvers<Response>()
    let sends = 0
    const { call } = await openConnector({
      limits: { dailyMessages: 1 },
      before: (request, gateway) => (isSend(request) && sends++ === 0 ? first.promise : gateway(request)),
    })
    const failing = call('send_sms', keyed)
    const repeated = await call('send_sms', keyed)
    first.resolve(Response.json({ code: 'invalid_value' }, { status: 422 }))
    expect([(await failing).isError, repeated.isError]).toEqual([true, false])
    expect((await call('send_sms', { ...MESSAGE, content: 'Other' })).text).toContain('1 message a day')
  })
})

const REFUSED = {
  time: '2026-01-05T09:00:00.000Z',
  connection: 'test',
  tool: 'send_sms',
  digest: expect.stringMatching(/^[0-9a-f]{64}$/),
  cost: null,
  ticket: null,
  outcome: 'refused',
  program: 'none',
  person: 'not asked',
}

describe('the audit', () => {
  it('has one line for every call that writes, whatever its result', async () => {
    const { call, audit } = await priced({ limits: { dailySpend: parseAmount('0.05') } })
    const { data } = await call('send_sms', MESSAGE)
    await call('send_sms', { ...MESSAGE, content: 'Second' })
    await call('cancel_scheduled', { ticket: data.ticket })
    await call('get_balance')
    expect(audit).toEqual([
      {
        time: '2026-01-05T09:00:00.000Z',
        connection: 'test',
        tool: 'send_sms',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        cost: 0.05,
        ticket: data.ticket,
        outcome: 'done',
        program: 'none',
        person: 'not asked',
      },
      expect.objectContaining({ tool: 'send_sms', outcome: 'refused', ticket: null }),
      expect.objectContaining({ tool: 'cancel_scheduled', outcome: 'failed', ticket: data.ticket }),
    ])
    expect(JSON.stringify(audit)).not.toContain('Hello')
  })

  it('has a line for every write that was refused before the gate, and none for a read', async () => {
    const wrong = await openConnector()
    await wrong.call('send_sms', { ...MESSAGE, to: '0241234567' })
    await wrong.call('search_messages', { status: 5 })
    expect(wrong.audit).toEqual([REFUSED])
    const reading = await openConnector({ canSend: false })
    await reading.call('send_sms', MESSAGE)
    await reading.call('cancel_scheduled', { ticket: 'some' })
    expect(reading.audit).toEqual([REFUSED, { ...REFUSED, tool: 'cancel_scheduled' }])
    expect(JSON.stringify([wrong.audit, reading.audit])).not.toContain('Hello')
  })
})

/** A connector whose gateway asks the same price for every message. */
function priced(given: Parameters<typeof openConnector>[0] & { price?: unknown }): Promise<Connector> {
  const { price, ...options } = { price: PRICE, ...given }
  return openConnector({
    ...options,
    before: async (request, gateway) => {
      const isEstimate = new URL(request.url).pathname.endsWith('/estimate')
      return isEstimate ? Response.json({ Cost: price }) : gateway(request)
    },
  })
}
