import { zMessagePage } from '@wigwag/contract/validators'
import { describe, expect, it } from 'vitest'
import { answerOf } from '../../isolation/requests.ts'
import { BULK, type Harness, MESSAGE, openHarness } from '../../support/harness.ts'
import { anotherAccount } from '../others.ts'

const pageOf = ({ call }: Harness, query = '', headers = {}) =>
  answerOf(call('GET', `/v1/messages${query}`, headers), zMessagePage)
const EMPTY = { Items: [] }
const ticketOf = async (sent: Promise<Response>): Promise<string> => (await (await sent).json()).Ticket

/** Three messages, a second apart, the last of them still on its way. */
async function sendThree(harness: Harness): Promise<[string, string, string]> {
  const first = await ticketOf(harness.sendSms(MESSAGE))
  await harness.advance(1_000)
  const second = await ticketOf(harness.sendSms({ ...MESSAGE, To: '233201200001' }))
  await harness.advance(1_000)
  return [first, second, await ticketOf(harness.sendSms({ ...MESSAGE, To: '447400100005' }))]
}

describe('searchMessages: 200', () => {
  it('answers the very records that the status operation answers, and who sent them, newest first', async () => {
    const harness = await openHarness()
    const [first, second, third] = await sendThree(harness)
    const records = []
    const SentBy = { Kind: 'api', Name: harness.demo.clientId }
    for (const ticket of [third, second, first])
      records.push({ ...(await (await harness.getStatus(ticket)).json()), SentBy })
    expect(await pageOf(harness)).toEqual({ Items: records })
  })

  it('answers an empty page where nothing matches, and no cursor', async () => {
    const harness = await openHarness()
    await sendThree(harness)
    for (const query of [
      '?Status=rejected',
      '?From=Nobody',
      '?To=233241234568',
      '?DateTo=2026-01-05T09:00:00Z',
    ]) {
      expect(await pageOf(harness, query)).toEqual({ Items: [] })
    }
  })

  it.each([
    ['?Status=undelivered', [1]],
    ['?To=447400100005', [2]],
    ['?From=WIGWAG&Status=success', [0]],
    ['?DateFrom=2026-01-05T09:00:01.125Z', [2, 1]],
    ['?DateFrom=2026-01-05T09:00:01.126Z', [2]],
    ['?DateTo=2026-01-05T09:00:01.125Z', [0]],
    ['?DateTo=2026-01-05T09:00:01.126Z', [1, 0]],
    ['?DateFrom=2026-01-05T10:30:01.125%2B01:30&DateTo=2026-01-05T04:00:02.125-05:00', [1]],
    ['?DateFrom=0001-01-01T00:00:00Z&DateTo=9999-12-31T23:59:59-14:00', [2, 1, 0]],
    ['?Status=success&Status=pending', [0]],
    ['?Nonsense=1', [2, 1, 0]],
  ])('takes %s: a beginning that counts, an end that does not', async (query, expected) => {
    const harness = await openHarness()
    const sent = await sendThree(harness)
    await harness.advance(500)
    const { Items } = await pageOf(harness, query)
    expect(Items.map(({ MessageId }) => sent.indexOf(MessageId))).toEqual(expected)
  })

  it("finds what was sent with a reference, while it is on its way and when it is final, and nobody else's", async () => {
    const harness = await openHarness()
    const other = await anotherAccount(harness)
    const message = { ...MESSAGE, Reference: 'order-1042' }
    const query = '?Reference=order-1042'
    expect(await pageOf(harness, query)).toEqual(EMPTY)
    const ticket = await ticketOf(harness.sendSms(message))
    await harness.sendSms({ ...MESSAGE, Reference: 'order-10420' })
    await harness.sendSms({ ...MESSAGE, Reference: 'Order-1042' })
    const found = async (more = '', headers = {}) =>
      (await pageOf(harness, query + more, headers)).Items.map(({ MessageId }) => MessageId)
    expect(await found()).toEqual([ticket])
    expect(await found('&Status=pending')).toEqual([ticket])
    await harness.advance(60_000)
    expect(await found()).toEqual([ticket])
    expect(await found('&Status=pending')).toEqual([])
    expect(await found(`&To=${MESSAGE.To}`)).toEqual([ticket])
    expect(await found('', other)).toEqual([])
    const theirs = await ticketOf(harness.sendSms(message, other))
    expect([await found(), await found('', other)]).toEqual([[ticket], [theirs]])
  })

  it('answers 50 when no limit is named, and up to 200', async () => {
    const harness = await openHarness()
    const Recipients = Array.from({ length: 201 }, () => ({ To: MESSAGE.To }))
    await harness.sendBulkSms({ ...BULK, Recipients })
    expect((await pageOf(harness)).Items).toHaveLength(50)
    expect((await pageOf(harness, '?Limit=1')).Items).toHaveLength(1)
    const { Items, NextCursor } = await pageOf(harness, '?Limit=200')
    expect(Items).toHaveLength(200)
    const last = await pageOf(harness, `?Limit=200&Cursor=${NextCursor}`)
    expect(last.Items).toHaveLength(1)
    expect(last.NextCursor).toBeUndefined()
    const ids = [...Items, ...last.Items].map(({ MessageId }) => MessageId)
    expect(new Set(ids).size).toBe(201)
  })

  it("reads on within the caller's own wallet, whoever the cursor was made for", async () => {
    const harness = await openHarness()
    const other = await anotherAccount(harness)
    await sendThree(harness)
    const { NextCursor } = await pageOf(harness, '?Limit=1')
    expect(await pageOf(harness, `?Cursor=${NextCursor}`, other)).toEqual({ Items: [] })
  })
})
