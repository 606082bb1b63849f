import { describe, expect, it } from 'vitest'
import { MESSAGE, openHarness } from '../../support/harness.ts'
import { balanceOf, resultOf, transactionOf, UUID } from '../answers.ts'

describe('sendSms: 200', () => {
  it('answers the specified request with the six fields of a send result, in their order', async () => {
    const { app, demo, sendSms } = await openHarness()
    const request = new Request('http://gateway.invalid/v1/messages/sms', {
      method: 'POST',
      headers: {
        Authorization: `Basic ${btoa(`${demo.clientId}:${demo.clientSecret}`)}`,
        'X-Wallet': `Token ${demo.walletToken}`,
        'Content-Type': 'application/json',
      },
      body: JSON.stringify({
        From: 'WIGWAG',
        To: '233241234567',
        Content: 'Hello',
        Reference: 'order-1042',
        CallbackUrl: 'https://shop.example/sms',
      }),
    })
    const text = await (await app.fetch(request)).text()
    const { Id } = JSON.parse(text)
    expect(Id).toMatch(UUID)
    expect(text).toBe(
      `{"Cost":0,"Destination":"233241234567","Id":"${Id}","Ticket":"${Id}",` +
        '"ClientReference":"order-1042","Status":"pending"}',
    )
    expect((await resultOf(sendSms(MESSAGE))).Id).not.toBe(Id)
  })

  it('adds no header of an extension for a client that uses none', async () => {
    const { sendSms } = await openHarness()
    const { headers } = await sendSms(MESSAGE)
    expect([...headers.keys()].sort()).toEqual(['content-type', 'x-request-id'])
  })

  it('answers an empty ClientReference when there was no Reference', async () => {
    const { sendSms } = await openHarness()
    expect(await resultOf(sendSms(MESSAGE))).toMatchObject({ ClientReference: '' })
  })

  it.each(['2330241234567', '233241234567', '447400123456'])(
    'echoes To %s exactly as it came',
    async (To) => {
      const { sendSms, getStatus, posted, advance } = await openHarness()
      const { Destination, Ticket } = await resultOf(
        sendSms({ ...MESSAGE, To, CallbackUrl: 'http://127.0.0.1/' }),
      )
      expect(Destination).toBe(To)
      expect((await transactionOf(getStatus(Ticket))).To).toBe(To)
      await advance(2_000)
      expect(JSON.parse(posted[0]?.body ?? '')).toMatchObject({ Destination: To })
    },
  )

  it.each([
    [1_530, 'a', 10],
    [760, '€', 10],
    [670, 'ш', 10],
    [330, '😀', 10],
    [160, 'a', 1],
    [161, 'a', 2],
    [70, 'ш', 1],
    [71, 'ш', 2],
  ])('takes %i times %s, and holds the price of %i segments', async (count, character, segments) => {
    const Content = character.repeat(count)
    const { sendSms, getBalance } = await openHarness()
    await resultOf(sendSms({ ...MESSAGE, Content }))
    expect((await balanceOf(getBalance())).balance).toBe((100_000_000 - segments * 42_000) / 1_000_000)
  })

  it.each(['r'.repeat(128), '😀'.repeat(128), '', ' ', 'a"b\\c\n', '\u2028'])(
    'keeps the Reference %j',
    async (Reference) => {
      const { sendSms, getStatus } = await openHarness()
      const { Ticket, ClientReference } = await resultOf(sendSms({ ...MESSAGE, Reference }))
      expect(ClientReference).toBe(Reference)
      expect((await transactionOf(getStatus(Ticket))).Reference).toBe(Reference)
    },
  )

  it.each([
    [{ CallbackUrl: 'https://a.example/x' }],
    [{ callbackUrl: 'https://a.example/x' }],
    [{ CallbackUrl: 'https://a.example/x', callbackUrl: 'https://a.example/x' }],
  ])('posts the callback to where %j says', async (fields) => {
    const { sendSms, advance, posted } = await openHarness()
    await resultOf(sendSms({ ...MESSAGE, ...fields }))
    await advance(2_000)
    expect(posted.map(({ url }) => url)).toEqual(['https://a.example/x'])
  })

  it('ignores fields that the document does not name, and a prototype', async () => {
    const { sendSms } = await openHarness()
    await resultOf(sendSms({ ...MESSAGE, to: 5, Recipients: [{ To: '' }], sendAt: 'never', nothing: null }))
    const text = JSON.stringify(MESSAGE).replace('{', '{"To":"","__proto__":{"Reference":"p"},')
    const { Destination, ClientReference } = await resultOf(sendSms(`\ufeff${text}`))
    expect([Destination, ClientReference]).toEqual([MESSAGE.To, ''])
  })

  it('knows its schemes in any case', async () => {
    const { sendSms, own } = await openHarness()
    const lower = {
      authorization: own.authorization.replace('Basic', 'basic'),
      'x-wallet': own['x-wallet'].replace('T', 't'),
    }
    await resultOf(sendSms(MESSAGE, lower))
  })
})
