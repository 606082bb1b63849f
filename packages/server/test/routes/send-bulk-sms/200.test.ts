import { describe, expect, it } from 'vitest'
import { BULK, openHarness } from '../../support/harness.ts'
import { balanceOf, resultsOf, transactionOf } from '../answers.ts'

const RECIPIENTS = [
  { To: '233241234567', Reference: 'customer-1' },
  { To: '447400123456', Reference: 'customer-2' },
  { To: '2330241234567' },
  { To: '233241234567', Reference: 'customer-1' },
]

describe('sendBulkSms: 200', () => {
  it('answers the specified request with one send result per recipient, in their order', async () => {
    const { app, demo } = await openHarness()
    const request = new Request('http://gateway.invalid/v1/messages/sms/bulk/otm', {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa(`${demo.clientId}:${demo.clientSecret}`)}`,
        'X-Wallet': `Token ${demo.walletToken}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({
        From: 'WIGWAG',
        Content: 'Hello',
        CallbackUrl: 'https://shop.example/sms',
        Recipients: RECIPIENTS,
      }),
    })
    const text = await (await app.fetch(request)).text()
    const ids = [...text.matchAll(/"Id":"([^"]+)"/g)].map(([, id]) => id)
    const result = (id: string | undefined, { To, Reference = '' }: (typeof RECIPIENTS)[number]) =>
      `{"Cost":0,"Destination":"${To}","Id":"${id}","Ticket":"${id}",` +
      `"ClientReference":"${Reference}","Status":"pending"}`
    expect(text).toBe(`[${RECIPIENTS.map((recipient, i) => result(ids[i], recipient)).join(',')}]`)
    expect(new Set(ids).size).toBe(4)
  })

  it('holds the price of every message, and makes each a transaction of its own', async () => {
    const { sendBulkSms, getStatus, getBalance } = await openHarness()
    const results = await resultsOf(sendBulkSms({ ...BULK, Recipients: RECIPIENTS }))
    const british = 0.468
    expect((await balanceOf(getBalance())).balance).toBeCloseTo(100 - 3 * 0.042 - british, 6)
    for (const [index, { Ticket, Destination, ClientReference }] of results.entries()) {
      const { To, Reference, Content, From } = await transactionOf(getStatus(Ticket))
      expect([To, Reference]).toEqual([Destination, ClientReference])
      expect([To, Reference]).toEqual([RECIPIENTS[index]?.To, RECIPIENTS[index]?.Reference ?? ''])
      expect([Content, From]).toEqual([BULK.Content, BULK.From])
    }
  })

  it.each(['CallbackUrl', 'callbackUrl'])('posts one callback per recipient to the %s', async (field) => {
    const { sendBulkSms, advance, posted } = await openHarness()
    const url = 'https://a.example/x'
    const results = await resultsOf(sendBulkSms({ ...BULK, Recipients: RECIPIENTS, [field]: url }))
    await advance(3_000)
    expect(posted.map((callback) => callback.url)).toEqual([url, url, url, url])
    const tickets = posted.map((callback) => JSON.parse(callback.body).Ticket)
    expect(tickets.sort()).toEqual(results.map(({ Ticket }) => Ticket).sort())
  })

  it('takes a single recipient, and answers an array all the same', async () => {
    const { sendBulkSms } = await openHarness()
    expect(await resultsOf(sendBulkSms(BULK))).toHaveLength(1)
  })

  it('takes Content of ten segments and References of 128 characters', async () => {
    const { sendBulkSms } = await openHarness()
    const Recipients = ['r', '😀'].map((c) => ({ To: '233241234567', Reference: c.repeat(128) }))
    for (const Content of ['a'.repeat(1_530), 'ш'.repeat(670)]) {
      const results = await resultsOf(sendBulkSms({ ...BULK, Content, Recipients }))
      expect(results.map(({ ClientReference }) => ClientReference)).toEqual(
        Recipients.map((r) => r.Reference),
      )
    }
  })

  it('ignores fields that the document does not name', async () => {
    const { sendBulkSms } = await openHarness()
    const Recipients = [{ To: '233241234567', Content: 5, reference: 'x' }]
    const [result] = await resultsOf(sendBulkSms({ ...BULK, To: '', Reference: 5, Recipients }))
    expect(result?.ClientReference).toBe('')
  })
})
