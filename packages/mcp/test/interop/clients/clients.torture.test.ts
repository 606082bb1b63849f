import { describe, expect, it } from 'vitest'
import type { OfficialAssistant } from '../../fixtures/clients.ts'
import { MESSAGE } from '../../fixtures/message.ts'
import { cases } from './places.ts'

describe.each(cases)('$client, at $place', ({ client, connect, open }) => {
  it('agrees on its revision, calls each of the ten tools, and gets errors that it can correct', async () => {
    const { target, now } = await open()
    const assistant = await connect(target)
    expect(client).toContain(assistant.version)
    expect(assistant.instructions).toContain('spend real money')
    expect(await assistant.names()).toHaveLength(10)
    const { ticket } = await sendOnce(assistant)
    const later = new Date(now + 3 * 86_400_000).toISOString()
    const scheduled = await assistant.call('schedule_sms', { ...MESSAGE, send_at: later })
    expect(scheduled.data).toMatchObject({ status: 'scheduled' })
    for (const [name, args, expected] of [
      ['get_balance', {}, { currency: 'GHS' }],
      ['list_sender_ids', {}, { sender_ids: [{ sender_id: 'WIGWAG' }] }],
      ['get_message_status', { id: ticket }, { id: ticket }],
      ['search_messages', { to: MESSAGE.to }, { messages: expect.any(Array) }],
      ['get_rates', { country: 'GH' }, { country: 'GH' }],
      ['delivery_insights', { group_by: 'day' }, { totals: expect.any(Object) }],
      ['estimate_cost', MESSAGE, { segments: 1 }],
      ['cancel_scheduled', { ticket: scheduled.data.ticket }, { status: 'cancelled' }],
    ] as const) {
      expect(await assistant.call(name, args), name).toMatchObject({ isError: false, data: expected })
    }
    const misfit = await assistant.call('send_sms', { ...MESSAGE, to: '024' })
    expect(misfit).toMatchObject({ isError: true, text: expect.stringContaining('do not fit send_sms') })
    await expect(assistant.call('send_all')).rejects.toMatchObject({ code: -32_602 })
  })
})

/** Sends under one key, twice: the second time, nothing more goes out. */
async function sendOnce({ call }: OfficialAssistant): Promise<{ ticket: unknown }> {
  const keyed = { ...MESSAGE, idempotency_key: 'once' }
  const first = await call('send_sms', keyed)
  const second = await call('send_sms', keyed)
  expect([first.isError, second.isError]).toEqual([false, false])
  expect(second.data.ticket).toBe(first.data.ticket)
  return { ticket: first.data.ticket }
}
