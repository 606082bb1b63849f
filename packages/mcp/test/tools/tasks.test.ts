import { describe, expect, it } from 'vitest'
import { type Connector, openConnector } from '../fixtures/connector.ts'
import { isSend } from '../fixtures/message.ts'

const A_DAY = 86_400_000
const AMA = '233241234567'
const KOFI = '233201234567'

/**
 * Questions of a person to an assistant, and the calls with which a model answers. Each step uses fields of
 * the answer before it, so a renamed field breaks a task.
 */
describe('a person asks', () => {
  it('“What did I spend on MTN last week?”', async () => {
    const { call } = await withHistory()
    const { data } = await call('delivery_insights', {
      group_by: 'network',
      date_from: '2026-01-05T00:00:00Z',
      date_to: '2026-01-12T00:00:00Z',
    })
    const mtn = items(data.groups).find(({ key }) => String(key).includes('MTN'))
    expect(mtn).toMatchObject({ sent: 2, delivered: 1, failed: 1 })
    expect(mtn?.spend).toBeGreaterThan(0)
    expect(data.currency).toBe('GHS')
  })

  it('“Send the reminder to Ama tomorrow at 9 unless it costs more than 1.”', async () => {
    const { call, sandbox } = await openConnector()
    const reminder = { from: 'WIGWAG', to: AMA, content: 'Your appointment is at ten.' }
    const { data } = await call('schedule_sms', { ...reminder, send_at: '2026-01-06T09:00:00Z', max_cost: 1 })
    expect(data.status).toBe('scheduled')
    await sandbox.clock.advance(2 * A_DAY)
    expect((await call('get_message_status', { id: data.ticket })).data.status).toBe('success')

    const long = { ...reminder, content: 'Your appointment is at ten. '.repeat(50) }
    const { text } = await call('schedule_sms', { ...long, send_at: '2026-01-09T09:00:00Z', max_cost: 0.2 })
    expect(text).toContain('more than the max_cost of 0.2')
  })

  it('“Did Kofi get my last message?”', async () => {
    const { call } = await withHistory()
    const { data } = await call('search_messages', { to: KOFI, limit: 1 })
    const [last] = items(data.messages)
    expect(last).toMatchObject({ status: 'success', content: 'Offer 3' })
    expect((await call('get_message_status', { id: last?.id })).data.effected_at).toMatch(/^2026-01-05T/)
  })

  it('“Which messages did not arrive on Monday, and why?”', async () => {
    const { call } = await withHistory()
    const { data } = await call('search_messages', {
      status: 'undelivered',
      date_from: '2026-01-05T00:00:00Z',
      date_to: '2026-01-06T00:00:00Z',
    })
    const [failed, ...others] = items(data.messages)
    expect(others).toEqual([])
    expect(failed).toMatchObject({ to: '233240000001', cost: 0 })
    expect((await call('get_message_status', { id: failed?.id })).data.failure_reason).toEqual(
      expect.any(String),
    )
  })

  it('“Text Ama from our shop.”, and the name is not approved', async () => {
    const { call } = await openConnector()
    const message = { to: AMA, content: 'We open at nine.' }
    const refused = await call('send_sms', { ...message, from: 'SHOP' })
    expect(refused.text).toContain('list_sender_ids')
    const { data } = await call('list_sender_ids')
    const [sender] = items(data.sender_ids).filter(({ status }) => status === 'approved')
    expect((await call('send_sms', { ...message, from: sender?.sender_id })).data.status).toBe('pending')
  })

  it('“Cancel the reminder for tomorrow.”', async () => {
    const { call } = await openConnector({ balance: 1 })
    const reminder = { from: 'WIGWAG', to: AMA, content: 'Your appointment is at ten.' }
    await call('schedule_sms', { ...reminder, send_at: '2026-01-06T09:00:00Z' })
    const { data } = await call('search_messages', { status: 'scheduled' })
    const [waiting] = items(data.messages)
    expect((await call('cancel_scheduled', { ticket: waiting?.id })).data.status).toBe('cancelled')
    expect((await call('get_balance')).data.balance).toBe(1)
  })

  it('“Is there enough to send this to 200 people?”', async () => {
    const { call } = await openConnector({ balance: 5 })
    const { data: estimate } = await call('estimate_cost', { to: AMA, content: 'We open at nine.' })
    const { data: wallet } = await call('get_balance')
    expect(estimate.currency).toBe(wallet.currency)
    expect(200 * Number(estimate.cost)).toBeGreaterThan(Number(wallet.balance))
  })

  it('“Why does this text cost so much? Make it cheaper.”', async () => {
    const { call } = await openConnector()
    const content = `We open at nine tomorrow ✓ ${'and close at five, except on Sunday. '.repeat(3)}`
    const { data: dear } = await call('estimate_cost', { to: AMA, content })
    expect(dear).toMatchObject({ segments: 3, unicode_cause: '✓' })
    const { data: cheap } = await call('estimate_cost', { to: AMA, content: content.replace(' ✓', '') })
    expect(cheap).toMatchObject({ segments: 1, encoding: 'GSM-7' })
    expect(Number(cheap.cost)).toBeLessThan(Number(dear.cost))
  })

  it('“Send the code to Ama, and make sure that it goes out once.”', async () => {
    let answers = 0
    const { call, sandbox } = await openConnector({
      before: async (request, gateway) => {
        const answer = await gateway(request)
        if (isSend(request) && ++answers <= 3) throw new TypeError('the connection broke')
        return answer
      },
    })
    const message = { from: 'WIGWAG', to: AMA, content: 'Your code is 1042', idempotency_key: 'code-1042' }
    expect((await call('send_sms', message)).text).toContain('idempotency_key code-1042')
    const { data } = await call('send_sms', message)
    expect((await sandbox.client.searchMessages().page()).Items.map(({ MessageId }) => MessageId)).toEqual([
      data.ticket,
    ])
  })

  it('“Which network delivers best in Ghana, and what does it cost?”', async () => {
    const { call } = await withHistory()
    const { data: insights } = await call('delivery_insights', { group_by: 'network' })
    const best = items(insights.groups).find(({ delivered, sent }) => delivered === sent)
    const { data: rates } = await call('get_rates', { country: 'GH' })
    const names = items(rates.networks).map(({ network }) => String(network))
    expect(names.some((name) => String(best?.key).includes(name))).toBe(true)
  })
})

/** A week in which four offers went out, and one of them did not arrive. */
async function withHistory(): Promise<Connector> {
  const connector = await openConnector()
  const recipients = [AMA, '233240000001', KOFI, KOFI]
  for (const [index, to] of recipients.entries()) {
    await connector.call('send_sms', { from: 'WIGWAG', to, content: `Offer ${index}` })
    await connector.sandbox.clock.advance(1000)
  }
  await connector.sandbox.clock.advance(7 * A_DAY)
  return connector
}

function items(list: unknown): Record<string, unknown>[] {
  if (!Array.isArray(list)) throw new Error('expected a list')
  return list
}
