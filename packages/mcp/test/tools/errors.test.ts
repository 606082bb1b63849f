import { parseAmount } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { type ConnectorOptions, openConnector } from '../fixtures/connector.ts'
import { isSend, MESSAGE } from '../fixtures/message.ts'

const NOTHING = '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f'

describe('an error that a model can correct', () => {
  it('is none where a number is written as libraries do', async () => {
    const { call, sandbox } = await openConnector({ limits: { recipients: ['23324*'] } })
    const to = '+233 24-123 4567'
    for (const tool of ['estimate_cost', 'send_sms'])
      expect((await call(tool, { ...MESSAGE, to })).isError, tool).toBe(false)
    expect(await call('search_messages', { to })).toMatchObject({ isError: false })
    expect((await sandbox.client.searchMessages({ To: to }).page()).Items).toMatchObject([
      { To: '233241234567' },
    ])
  })

  it('names the approved senders when one is not approved', async () => {
    const { call } = await openConnector()
    const { isError, text } = await call('send_sms', { ...MESSAGE, from: 'ACME' })
    expect(isError).toBe(true)
    expect(text).toBe(
      "Nothing was sent: sender 'ACME' is not one of this account; approved sender IDs: WIGWAG; " +
        'use a sender ID that list_sender_ids shows as approved.',
    )
  })

  it('names the balance when it is not enough', async () => {
    const { call } = await openConnector({ balance: 0.01 })
    const { isError, text } = await call('send_sms', MESSAGE)
    expect(isError).toBe(true)
    expect(text).toBe(
      'Nothing was sent: the message costs 0.042 GHS and the wallet can spend 0.01 GHS; ' +
        'ask the person to have the wallet topped up.',
    )
  })

  it('lists every argument that does not fit, and sends nothing', async () => {
    const { call, requests } = await openConnector()
    const { isError, text } = await call('send_sms', { from: 'WIGWAG', to: '+233 24', text: 'Hello' })
    expect(isError).toBe(true)
    expect(text).toMatch(/^Nothing was done: .*\n- to: .*\n- content: .*\n- arguments: .*text/s)
    expect(text).toContain('- to: expected 7 to 15 digits beginning with a country code; got "+233 24".')
    expect(text).toContain('- content: expected a string; got nothing.')
    expect(requests).toEqual([])
  })

  it("names a field that the gateway refuses by the tool's argument", async () => {
    const { call } = await openConnector()
    const { isError, text } = await call('schedule_sms', { ...MESSAGE, send_at: '2020-01-01T00:00:00Z' })
    expect(isError).toBe(true)
    expect(text).toContain('\n- send_at: ')
  })

  it.each([
    ['get_message_status', { id: NOTHING }],
    ['cancel_scheduled', { ticket: NOTHING }],
  ])('%s says that there is no such message', async (tool, args) => {
    const { call } = await openConnector()
    const { isError, text } = await call(tool, args)
    expect(isError).toBe(true)
    expect(text).toContain(NOTHING)
    expect(text).toContain('check the id, or find the message with search_messages')
  })

  it('says when to try again after too many requests', async () => {
    const { call } = await openConnector({
      before: async () =>
        Response.json({ code: 'rate_limited' }, { status: 429, headers: { 'retry-after': '90' } }),
    })
    expect(await call('get_balance')).toMatchObject({
      isError: true,
      text: expect.stringContaining('try again in 90 s.'),
    })
  })

  it('says that a person has to correct the credentials', async () => {
    const { call } = await openConnector({ before: async () => new Response('no', { status: 401 }) })
    expect((await call('get_balance')).text).toContain(
      "The gateway refused the credentials; ask a person to correct the connection's credentials.",
    )
  })

  it('names the key to repeat a send with when its result is not known', async () => {
    const { call, sandbox } = await openConnector({ before: losingAnswers(3) })
    const { isError, text } = await call('send_sms', MESSAGE)
    expect(isError).toBe(true)
    const [, key] = /idempotency_key (\S+):/.exec(text) ?? []
    const again = await call('send_sms', { ...MESSAGE, idempotency_key: key })
    expect(again.isError).toBe(false)
    expect((await sandbox.client.searchMessages().page()).Items).toHaveLength(1)
  })

  it('reveals nothing about a fault of ours', async () => {
    const connector = await openConnector()
    connector.identity.client.getBalance = () => {
      throw new Error('secret place')
    }
    const { isError, text } = await connector.call('get_balance')
    expect(isError).toBe(true)
    expect(text).not.toContain('secret')
    expect(connector.faults).toHaveLength(1)
  })
})

describe('a gateway that has only the four specified operations', () => {
  const specified = [
    /^POST \/v1\/messages\/sms$/,
    /^POST \/v1\/messages\/sms\/bulk\/otm$/,
    /^GET \/v1\/transactions\/[^/]+\/status$/,
    /^GET \/v1\/account\/balance$/,
  ]
  const bare: NonNullable<ConnectorOptions['before']> = async (request, gateway) => {
    const asked = `${request.method} ${new URL(request.url).pathname}`
    return specified.some((one) => one.test(asked))
      ? gateway(request)
      : new Response('Not here', { status: 404 })
  }

  it('sends, reads the status and the balance', async () => {
    const { call } = await openConnector({ before: bare })
    const { data: sent } = await call('send_sms', MESSAGE)
    expect(sent.status).toBe('pending')
    const { data } = await call('get_message_status', { id: sent.ticket })
    expect(data).toMatchObject({ id: sent.ticket, content: 'Hello', is_final: false })
    expect((await call('get_balance')).isError).toBe(false)
  })

  it('searches only what the connection itself has sent, by every filter, and says so', async () => {
    const { call, sandbox } = await openConnector({ before: bare })
    const numbers = ['233241234567', '233241200001', '233241234567']
    const tickets: unknown[] = []
    for (const [index, to] of numbers.entries()) {
      tickets.push(
        (await call('send_sms', { ...MESSAGE, to, content: `Hello ${index}`, reference: `order-${index}` }))
          .data.ticket,
      )
      await sandbox.clock.advance(60_000)
    }
    await sandbox.client.sendSms({ From: 'WIGWAG', To: '233241234567', Content: 'Not of this connection' })
    const found = async (args: Record<string, unknown>) => {
      const { data, text } = await call('search_messages', args)
      expect(text).toContain('only messages that this connection has sent')
      return (data.messages as { id: unknown }[]).map(({ id }) => tickets.indexOf(id))
    }
    const { data } = await call('get_message_status', { id: tickets[1] })
    const time = String(data.created_at)
    expect(await found({})).toEqual([2, 1, 0])
    expect(await found({ to: '233241234567' })).toEqual([2, 0])
    expect(await found({ status: 'undelivered' })).toEqual([1])
    expect(await found({ from: 'Other' })).toEqual([])
    expect(await found({ reference: 'order-1' })).toEqual([1])
    expect(await found({ date_from: time })).toEqual([2, 1])
    expect(await found({ date_to: time })).toEqual([0])
    expect(await found({ limit: 1 })).toEqual([2])
  })

  it.each([
    ['list_sender_ids', {}, 'listSenderIds (GET /v1/account/sender-ids)'],
    ['get_rates', { country: 'GH' }, 'getRates (GET /v1/rates/{country})'],
    ['delivery_insights', { group_by: 'day' }, 'deliveryInsights (GET /v1/insights/delivery)'],
    ['estimate_cost', MESSAGE, 'estimateCost (POST /v1/messages/sms/estimate)'],
    [
      'schedule_sms',
      { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' },
      'scheduleSms (POST /v1/messages/sms/scheduled)',
    ],
    [
      'cancel_scheduled',
      { ticket: NOTHING },
      'cancelScheduledSms (DELETE /v1/messages/sms/scheduled/{ticket})',
    ],
  ])('%s names the operation that is missing', async (tool, args, operation) => {
    const { call } = await openConnector({ before: bare })
    expect(await call(tool, args)).toMatchObject({
      isError: true,
      text: expect.stringContaining(`his gateway does not have ${operation}; do without ${tool}.`),
    })
  })

  it('reports a missing message as that, and not as a missing operation', async () => {
    const { call } = await openConnector({ before: bare })
    const { isError, text } = await call('get_message_status', { id: NOTHING })
    expect(isError).toBe(true)
    expect(text).not.toContain('does not have')
  })

  it.each([
    ['a daily spend', { limits: { dailySpend: parseAmount('5') } }, {}],
    ['a max_cost', {}, { max_cost: 5 }],
  ])('does not send under %s, which it cannot check', async (_name, options, args) => {
    const { call, requests } = await openConnector({ ...options, before: bare })
    expect(await call('send_sms', { ...MESSAGE, ...args })).toMatchObject({
      isError: true,
      text: expect.stringMatching(
        /^Nothing was sent: this gateway tells no prices, so .* can not be checked;/,
      ),
    })
    expect(requests).not.toContain('POST /v1/messages/sms')
  })
})

/** Lets requests through and loses the answers of the first sends. */
function losingAnswers(count: number): NonNullable<ConnectorOptions['before']> {
  let left = count
  return async (request, gateway) => {
    const answer = await gateway(request)
    if (isSend(request) && left-- > 0) throw new TypeError('the connection broke')
    return answer
  }
}
