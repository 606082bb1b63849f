import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { INSTANT, resultOf, transactionOf } from '../answers.ts'

const SENT = { ...MESSAGE, Reference: 'order-1042' }

describe('getTransactionStatus: 200', () => {
  it('answers the specified request, with Basic alone, with twelve fields in their order', async () => {
    const { app, demo, sendSms, advance } = await openHarness()
    const { Ticket } = await resultOf(sendSms(SENT))
    await advance(2_000)
    const request = new Request(`http://gateway.invalid/v1/transactions/${Ticket}/status`, {
      headers: { Authorization: `Basic ${btoa(`${demo.clientId}:${demo.clientSecret}`)}` },
    })
    const response = await app.fetch(request)
    expect([...response.headers.keys()].sort()).toEqual(['content-type', 'x-request-id'])
    expect(await response.text()).toBe(
      `{"Type":"SMS","MessageId":"${Ticket}","Status":"success","Content":"Hello","To":"233241234567",` +
        '"From":"WIGWAG","Reference":"order-1042","Cost":0.042,"DateCreated":"2026-01-05T09:00:00.125Z",' +
        '"EffectedAt":"2026-01-05T09:00:01.125Z","BalanceBefore":100,"BalanceAfter":99.958}',
    )
  })

  it('shows a pending message with no cost, no effect and the balance unchanged', async () => {
    const { sendSms, getStatus } = await openHarness()
    const { Ticket } = await resultOf(sendSms(SENT))
    const record = await transactionOf(getStatus(Ticket))
    expect(record).toMatchObject({ Status: 'pending', Cost: 0, BalanceBefore: 100, BalanceAfter: 100 })
    expect(record.EffectedAt).toBe(record.DateCreated)
    expect(record.DateCreated).toMatch(INSTANT)
  })

  it('needs no wallet, and does not look at one that is shown', async () => {
    const { sendSms, getStatus } = await openHarness()
    const { Ticket } = await resultOf(sendSms(SENT))
    for (const wallet of [undefined, '', 'Token of nobody']) {
      expect((await transactionOf(getStatus(Ticket, { 'x-wallet': wallet }))).MessageId).toBe(Ticket)
    }
  })

  it('knows a ticket in upper case, and answers it in lower case', async () => {
    const { sendSms, getStatus } = await openHarness()
    const { Ticket } = await resultOf(sendSms(SENT))
    expect((await transactionOf(getStatus(Ticket.toUpperCase()))).MessageId).toBe(Ticket)
  })

  it('answers the text exactly as it was sent', async () => {
    const { sendSms, getStatus } = await openHarness()
    for (const Content of [' a ', '\r\n', 'Ɛyɛ 😀 "quoted" \\ \u2028', '=1+1', '\u0001', '{^}[~]|€']) {
      const { Ticket } = await resultOf(sendSms({ ...MESSAGE, Content }))
      expect((await transactionOf(getStatus(Ticket))).Content).toBe(Content)
    }
  })
})
