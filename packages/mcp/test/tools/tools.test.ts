import { parseAmount } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { openConnector } from '../fixtures/connector.ts'
import { MESSAGE } from '../fixtures/message.ts'

const AN_HOUR = 3_600_000

describe('the tools that read', () => {
  it('get_balance tells what can be spent', async () => {
    const { call } = await openConnector({ balance: 12.5 })
    expect(await call('get_balance')).toMatchObject({
      isError: false,
      data: { balance: 12.5, currency: 'GHS', as_of: '2026-01-05T09:00:00.000Z' },
      text: expect.stringContaining('The wallet can spend 12.5 GHS, as of 2026-01-05T09:00:00.000Z.'),
    })
  })

  it('list_sender_ids shows which names may send', async () => {
    const { call } = await openConnector()
    const { data, text } = await call('list_sender_ids')
    expect(data).toMatchObject({ sender_ids: [{ sender_id: 'WIGWAG', status: 'approved' }], left_out: 0 })
    expect(text).toContain('1 of 1 sender IDs are approved: "WIGWAG".')
  })

  it('get_message_status follows a message until it is final', async () => {
    const { call, sandbox } = await openConnector()
    const { data: sent } = await call('send_sms', { ...MESSAGE, reference: 'order-1' })
    expect((await call('get_message_status', { id: sent.ticket })).data).toMatchObject({
      status: 'pending',
      is_final: false,
    })
    await sandbox.clock.advance(AN_HOUR)
    expect((await call('get_message_status', { id: sent.ticket })).data).toMatchObject({
      id: sent.ticket,
      status: 'success',
      is_final: true,
      reference: 'order-1',
      segments: 1,
      country: 'GH',
      timeline: expect.arrayContaining([expect.objectContaining({ event: 'success' })]),
    })
  })

  it('get_message_status says in a sentence how a message stands, when, and what it cost', async () => {
    const { call, sandbox } = await openConnector()
    const sentenceOf = async ({ data }: { data: Record<string, unknown> }) => {
      const { text } = await call('get_message_status', { id: data.ticket })
      return text.split('\n')[0]
    }
    const sent = await call('send_sms', MESSAGE)
    const later = await call('schedule_sms', { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' })
    expect(await sentenceOf(sent)).toContain(
      'was accepted at 2026-01-05T09:00:00.000Z and is not final yet; ask again in a few seconds.',
    )
    expect(await sentenceOf(later)).toContain(
      'is scheduled for 2026-01-06T09:00:00.000Z; it can still be cancelled.',
    )
    await call('cancel_scheduled', { ticket: later.data.ticket })
    expect(await sentenceOf(later)).toContain('was cancelled at 2026-01-05T09:00:00.000Z, and cost nothing.')
    await sandbox.clock.advance(AN_HOUR)
    expect(await sentenceOf(sent)).toMatch(
      /^The message to 233241234567 was delivered at 2026-01-05T\S+Z and cost 0\.\d+, in the wallet's currency\./,
    )
  })

  it('get_message_status says why a message failed, as the carrier gave it', async () => {
    const { call, sandbox } = await openConnector()
    const { data } = await call('send_sms', { ...MESSAGE, to: '233240000001' })
    await sandbox.clock.advance(AN_HOUR)
    const status = await call('get_message_status', { id: data.ticket })
    const { failure_reason: reason } = status.data
    expect(reason).toMatch(/\w/)
    expect(status.text).toContain(`The reason given: ${JSON.stringify(reason)}. It cost nothing.`)
    expect(status.text).toMatch(/^The message to 233240000001 was not delivered: it .+ at 2026-01-05T\S+Z\./)
  })

  it('search_messages continues after the last page, with no message twice', async () => {
    const { call, sandbox } = await openConnector()
    for (let index = 0; index < 25; index++) await call('send_sms', { ...MESSAGE, content: `No ${index}` })
    await call('send_sms', { ...MESSAGE, to: '233201234567' })
    await sandbox.clock.advance(AN_HOUR)
    const first = await call('search_messages', { to: MESSAGE.to, status: 'success' })
    const second = await call('search_messages', {
      to: MESSAGE.to,
      status: 'success',
      cursor: first.data.next_cursor,
    })
    expect(first.data.messages).toHaveLength(20)
    expect(first.text).toContain(
      '20 messages, newest first: 20 success. There may be more: read on with next_cursor',
    )
    expect(second.data.messages).toHaveLength(5)
    expect(second.data).not.toHaveProperty('next_cursor')
    expect(new Set([first, second].flatMap(({ data }) => idsOf(data.messages))).size).toBe(25)
  })

  it('get_rates cuts a long list and says how much is left out', async () => {
    const { call } = await openConnector()
    const { data: whole } = await call('get_rates', { country: 'GH' })
    const { data: cut } = await call('get_rates', { country: 'gh', limit: 1 })
    expect(whole).toMatchObject({ country: 'GH', currency: 'GHS', left_out: 0, sample: true })
    expect(cut.networks).toHaveLength(1)
    expect(cut.left_out).toBe(idsOf(whole.networks).length - 1)
  })

  it('delivery_insights counts and sums', async () => {
    const { call, sandbox } = await openConnector()
    const { data: estimate } = await call('estimate_cost', MESSAGE)
    await call('send_sms', MESSAGE)
    await call('send_sms', { ...MESSAGE, to: '233240000001' })
    await sandbox.clock.advance(AN_HOUR)
    const week = { date_from: '2026-01-05T00:00:00Z', date_to: '2026-01-12T00:00:00Z' }
    const { data, text } = await call('delivery_insights', { group_by: 'day', ...week })
    expect(text.split('\n')[0]).toBe(
      `From 2026-01-05T00:00:00.000Z until 2026-01-12T00:00:00.000Z: ${estimate.cost} GHS spent; 2 sent, of which ` +
        '1 delivered, 1 failed and 0 not final yet.',
    )
    expect(data).toMatchObject({
      totals: { sent: 2, delivered: 1, failed: 1, pending: 0, spend: estimate.cost },
      groups: [expect.objectContaining({ key: '2026-01-05', sent: 2 })],
      left_out: 0,
    })
  })

  it('estimate_cost names the character that makes a text expensive', async () => {
    const { call } = await openConnector()
    const { data, text } = await call('estimate_cost', { ...MESSAGE, content: 'Hello 👋' })
    expect(text).toContain('because of "👋", which is not in the GSM alphabet.')
    expect(data).toMatchObject({ segments: 1, encoding: 'UCS-2', unicode_cause: '👋', currency: 'GHS' })
  })
})

describe('the answer of a tool that sends', () => {
  const LIMITS = { dailySpend: parseAmount('1'), dailyMessages: 2 }

  it('has the text, its price, what is left of the limits, and that nobody was asked', async () => {
    const { call } = await openConnector({ limits: LIMITS })
    const { data, text } = await call('send_sms', MESSAGE)
    expect(data).toMatchObject({
      content: MESSAGE.content,
      price: 0.042,
      currency: 'GHS',
      asked: false,
      left_spend: 0.958,
      left_messages: 1,
    })
    expect(text).toContain(
      "Its price, 0.042 GHS, is held and charged on delivery. Left of today's limits: 0.958 GHS and 1 message. " +
        'Nobody was asked before it: tell the person what was sent.',
    )
  })

  it('takes nothing of the limits for a repeat', async () => {
    const { call } = await openConnector({ limits: LIMITS })
    const keyed = { ...MESSAGE, idempotency_key: 'k' }
    await call('send_sms', keyed)
    const { data } = await call('send_sms', keyed)
    expect(data).toMatchObject({ price: 0.042 })
    expect(data).not.toHaveProperty('left_messages')
  })

  it('leaves out the price where the gateway tells none', async () => {
    const { call } = await openConnector({
      before: async (request, gateway) =>
        request.url.endsWith('/estimate') ? new Response('Not found', { status: 404 }) : gateway(request),
    })
    const { data, text } = await call('send_sms', MESSAGE)
    expect(data).not.toHaveProperty('price')
    expect(text).toContain('Its price is held and charged on delivery. Nobody was asked')
  })

  it('says the same of a message for later', async () => {
    const { call } = await openConnector({ limits: LIMITS })
    const { data, text } = await call('schedule_sms', { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' })
    expect(data).toMatchObject({ content: MESSAGE.content, price: 0.042, left_messages: 1, asked: false })
    expect(text).toContain('Its price, 0.042 GHS, is held until then.')
  })
})

describe('the tools to call before each send', () => {
  it.each([
    ['list_sender_ids', {}, 'GET /v1/account/sender-ids'],
    ['estimate_cost', MESSAGE, 'POST /v1/messages/sms/estimate'],
  ])('%s takes one request, and three of a gateway that fails', async (tool, args, request) => {
    let isDown = false
    const { call, requests } = await openConnector({
      before: async (asked, gateway) => (isDown ? new Response(null, { status: 503 }) : gateway(asked)),
    })
    await call(tool, args)
    expect(requests).toEqual([request])
    isDown = true
    expect((await call(tool, args)).isError).toBe(true)
    expect(requests).toEqual(Array(4).fill(request))
  })
})

describe('the tools that write', () => {
  it('send_sms sends one message and answers with its ticket', async () => {
    const { call, sandbox } = await openConnector()
    const { data, text } = await call('send_sms', { ...MESSAGE, reference: 'r-1' })
    expect(data).toMatchObject({ status: 'pending', to: MESSAGE.to, reference: 'r-1' })
    expect(text).toContain(String(data.ticket))
    await sandbox.clock.advance(AN_HOUR)
    const { Status, Content } = await sandbox.client.getTransactionStatus(String(data.ticket))
    expect([Status, Content]).toEqual(['success', 'Hello'])
    expect(sandbox.callbacks).toEqual([])
  })

  it('send_sms accepts a reference of any 128 characters', async () => {
    const { call } = await openConnector()
    const { data } = await call('send_sms', { ...MESSAGE, reference: '😀'.repeat(128) })
    expect(data).toMatchObject({ status: 'pending', reference: '😀'.repeat(128) })
    const longer = await call('send_sms', { ...MESSAGE, reference: '😀'.repeat(129) })
    expect(longer).toMatchObject({
      isError: true,
      text: expect.stringContaining('at most 128 characters; got 129 characters'),
    })
  })

  it('schedule_sms sends at its time, and not before', async () => {
    const { call, sandbox } = await openConnector()
    const { data } = await call('schedule_sms', { ...MESSAGE, send_at: '2026-01-05T12:00:00+01:00' })
    expect(data).toMatchObject({ status: 'scheduled', send_at: '2026-01-05T11:00:00.000Z' })
    await sandbox.clock.advance(AN_HOUR)
    expect((await call('get_message_status', { id: data.ticket })).data).toMatchObject({
      status: 'scheduled',
      is_final: false,
    })
    await sandbox.clock.advance(2 * AN_HOUR)
    expect((await call('get_message_status', { id: data.ticket })).data.status).toBe('success')
  })

  it('cancel_scheduled releases the money once, however often it is called', async () => {
    const { call } = await openConnector({ balance: 1 })
    const { data } = await call('schedule_sms', { ...MESSAGE, send_at: '2026-01-06T09:00:00Z' })
    expect((await call('get_balance')).data.balance).toBeLessThan(1)
    for (const time of ['first', 'second']) {
      const cancelled = await call('cancel_scheduled', { ticket: data.ticket })
      expect(cancelled.data, time).toMatchObject({ id: data.ticket, status: 'cancelled', cost: 0 })
    }
    expect((await call('get_balance')).data.balance).toBe(1)
  })

  it('cancel_scheduled says why a message can no longer be cancelled', async () => {
    const { call } = await openConnector()
    const { data } = await call('send_sms', MESSAGE)
    const { isError, text } = await call('cancel_scheduled', { ticket: data.ticket })
    expect(isError).toBe(true)
    expect(text).toContain('only scheduled messages can be cancelled')
  })
})

function idsOf(items: unknown): unknown[] {
  if (!Array.isArray(items)) throw new Error('expected a list')
  return items.map((item) => item.id ?? item)
}
