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
    })
  })

  it('list_sender_ids shows which names may send', async () => {
    const { call } = await openConnector()
    const { data, text } = await call('list_sender_ids')
    expect(data).toMatchObject({ sender_ids: [{ sender_id: 'WIGWAG', status: 'approved' }], left_out: 0 })
    expect(text).toContain('1 of 1 sender IDs are approved.')
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
    expect(first.text).toContain('There are more: read on with next_cursor')
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
    const { data } = await call('delivery_insights', { group_by: 'day' })
    expect(data).toMatchObject({
      totals: { sent: 2, delivered: 1, failed: 1, pending: 0, spend: estimate.cost },
      groups: [expect.objectContaining({ key: '2026-01-05', sent: 2 })],
      left_out: 0,
    })
  })

  it('estimate_cost names the character that makes a text expensive', async () => {
    const { call } = await openConnector()
    const { data } = await call('estimate_cost', { ...MESSAGE, content: 'Hello 👋' })
    expect(data).toMatchObject({ segments: 1, encoding: 'UCS-2', unicode_cause: '👋', currency: 'GHS' })
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
    expect(longer).toMatchObject({ isError: true, text: expect.stringContaining('<=128 characters') })
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

  it('cancel_scheduled gives the money back once, however often it is called', async () => {
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
    expect(text).toContain('Only scheduled messages can be cancelled.')
  })
})

function idsOf(items: unknown): unknown[] {
  if (!Array.isArray(items)) throw new Error('expected a list')
  return items.map((item) => item.id ?? item)
}
