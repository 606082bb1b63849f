import {
  AuthenticationError,
  ConnectionError,
  callbackHandler,
  InsufficientFundsError,
  NotFoundError,
  RateLimitError,
  TimeoutError,
  ValidationError,
} from '@wigwag/sdk'
import { createFakeClient, fakeCall, signedCallback } from '@wigwag/sdk/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type OperationId, places } from '../src/operations.ts'

const hello = { From: 'ACME', To: '233201234567', Content: 'Hello', Reference: 'order-1' }

/** From here on, a pause that is not cut short never ends. */
function withoutTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate)
}

describe('a fake client', () => {
  it('gives each send a ticket, and keeps the message until the test ends it', async () => {
    const sms = createFakeClient()
    const { Ticket, Status } = await sms.sendSms(hello)
    expect(Status).toBe('pending')
    expect((await sms.getTransactionStatus(Ticket)).Status).toBe('pending')
    expect(sms.deliver(Ticket)).toMatchObject({
      Ticket,
      Status: 'success',
      ClientReference: 'order-1',
      Cost: 1,
    })
    expect(await sms.getTransactionStatus(Ticket)).toMatchObject({ Status: 'success', Content: 'Hello' })
    expect((await sms.getBalance()).balance).toBe(99)
    expect(sms.messages).toMatchObject([{ To: '233201234567', Content: 'Hello', Status: 'success' }])
    expect(() => sms.deliver(Ticket)).toThrow(`${Ticket} is success`)
  })

  it('ends a wait as soon as the message ends, without a pause', async () => {
    withoutTimers()
    const sms = createFakeClient()
    const { Ticket } = await sms.sendSms(hello)
    const final = sms.waitForFinal(Ticket, { timeout: 3_600_000 })
    await severalTurns()
    sms.end(Ticket, 'undelivered')
    expect(await final).toMatchObject({ Status: 'undelivered', Cost: 0 })
    expect(sms.calls).toHaveLength(3)
  })

  it('lets a program send and wait by itself, when it is told how messages end', async () => {
    const sms = createFakeClient({ outcome: 'failed' })
    const { Ticket, Status } = await sms.sendSms(hello)
    expect(Status).toBe('pending')
    expect((await sms.waitForFinal(Ticket)).Status).toBe('failed')
  })

  it('rejects a wait that takes too long, or that is aborted', async () => {
    const sms = createFakeClient()
    const { Ticket } = await sms.sendSms(hello)
    await expect(sms.waitForFinal(Ticket, { timeout: 20 })).rejects.toBeInstanceOf(TimeoutError)
    withoutTimers()
    const stop = new AbortController()
    const wait = sms.waitForFinal(Ticket, { signal: stop.signal })
    await severalTurns()
    stop.abort()
    await expect(wait).rejects.toBeDefined()
  })

  it('takes a number as the gateway does, and answers with its digits', async () => {
    const sms = createFakeClient()
    const { Destination } = await sms.sendSms({ ...hello, To: '+233 20 123-4567' })
    expect(Destination).toBe('233201234567')
    const { Items } = await sms.searchMessages({ To: '+233201234567' }).page()
    expect(Items).toMatchObject([{ To: '233201234567' }])
  })

  it('records every call with its input and its key', async () => {
    const sms = createFakeClient()
    await sms.sendSms(hello, { idempotencyKey: 'order-1-shipped' })
    await sms.searchMessages({ To: '233201234567', Limit: 20 }).page()
    await sms.getMessage(sms.messages[0]?.MessageId ?? '')
    expect(sms.calls).toMatchObject([
      { operation: 'sendSms', body: hello, idempotencyKey: 'order-1-shipped' },
      { operation: 'searchMessages', query: { To: '233201234567', Limit: 20 } },
      { operation: 'getMessage', path: sms.messages[0]?.MessageId },
    ])
  })

  it('sends once for a key, however often it comes', async () => {
    const sms = createFakeClient()
    const first = await sms.sendSms(hello, { idempotencyKey: 'key' })
    expect(await sms.sendSms(hello, { idempotencyKey: 'key' })).toEqual(first)
    expect(sms.messages).toHaveLength(1)
    const other = sms.sendSms({ ...hello, Content: 'Other' }, { idempotencyKey: 'key' })
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  })

  it('gives the scripted answers in turn, then its own again', async () => {
    const sms = createFakeClient()
    const poor = { balance: 0, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }
    sms.answer('getBalance', poor, 2)
    sms.answer('getRates', ({ path }) => ({
      Country: path,
      Currency: 'XOF',
      Networks: [],
      Sample: false,
    }))
    expect((await sms.getBalance()).balance).toBe(0)
    const { data, response } = await sms.getBalance().withResponse()
    expect([data, response.status]).toEqual([poor, 200])
    expect((await sms.getBalance()).balance).toBe(100)
    expect((await sms.getRates('CI')).Currency).toBe('XOF')
  })

  it.each([
    [{ status: 401, code: 'invalid_credentials' }, AuthenticationError],
    [{ status: 402, code: 'insufficient_funds' }, InsufficientFundsError],
    [
      { status: 422, errors: [{ pointer: '/To', code: 'invalid_recipient', detail: 'Expected digits.' }] },
      ValidationError,
    ],
    [{ status: 429, retryAfter: 7 }, RateLimitError],
    ['timeout', TimeoutError],
    ['connection lost', ConnectionError],
    ['no connection', ConnectionError],
  ] as const)('fails like the real client: %o', async (failure, expected) => {
    const sms = createFakeClient()
    sms.fail('sendSms', failure)
    const error = await sms.sendSms(hello, { idempotencyKey: 'key' }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(expected)
    expect(error).toMatchObject({
      operation: 'sendSms',
      idempotencyKey: 'key',
      attempts: 1,
      uncertain: failure === 'timeout' || failure === 'connection lost',
      ...(typeof failure === 'object' && failure),
    })
    expect(sms.messages).toEqual([])
    // The failure was for one call, and the key is still good.
    expect((await sms.sendSms(hello, { idempotencyKey: 'key' })).Status).toBe('pending')
  })

  it('does not know the ticket of a message that was not sent', async () => {
    await expect(createFakeClient().getMessage('nothing')).rejects.toBeInstanceOf(NotFoundError)
  })

  it('schedules, cancels and sends to many', async () => {
    const sms = createFakeClient({ outcome: 'success' })
    const later = await sms.scheduleSms({ ...hello, SendAt: '2027-01-01T08:00:00.000Z' })
    expect((await sms.listScheduledSms().page()).Items).toMatchObject([{ SendAt: later.SendAt }])
    expect((await sms.cancelScheduledSms(later.Ticket)).Status).toBe('cancelled')
    expect((await sms.cancelScheduledSms(later.Ticket)).Status).toBe('cancelled')
    const report = await sms.sendToMany({ From: 'ACME', Content: 'Hi' }, [
      { To: '233201234567' },
      { To: '233241234567' },
    ])
    expect(report).toMatchObject({ accepted: 2, error: undefined })
    const ended = sms.messages[1]?.MessageId ?? ''
    await expect(sms.cancelScheduledSms(ended)).rejects.toMatchObject({ code: 'not_cancellable' })
    expect(sms.messages.map(({ To, Status }) => [To, Status])).toEqual([
      ['233201234567', 'cancelled'],
      ['233201234567', 'success'],
      ['233241234567', 'success'],
    ])
    const delivered = []
    for await (const message of sms.searchMessages({ Status: 'success' })) delivered.push(message.To)
    expect(delivered).toEqual(['233241234567', '233201234567'])
  })

  it('answers every operation of the document', async () => {
    const sms = createFakeClient()
    const { Ticket } = await sms.scheduleSms({ ...hello, SendAt: '2027-01-01T08:00:00.000Z' })
    const asked: Record<Exclude<OperationId, 'scheduleSms'>, () => PromiseLike<unknown>> = {
      sendSms: () => sms.sendSms(hello),
      sendBulkSms: () =>
        sms.sendBulkSms({ From: 'ACME', Content: 'Hi', Recipients: [{ To: '233201234567' }] }),
      getTransactionStatus: () => sms.getTransactionStatus(Ticket),
      getBalance: () => sms.getBalance(),
      listLedger: () => sms.listLedger().page(),
      searchMessages: () => sms.searchMessages().page(),
      getMessage: () => sms.getMessage(Ticket),
      estimateCost: () => sms.estimateCost(hello),
      listScheduledSms: () => sms.listScheduledSms().page(),
      cancelScheduledSms: () => sms.cancelScheduledSms(Ticket),
      listSenderIds: () => sms.listSenderIds().page(),
      requestSenderId: () => sms.requestSenderId({ SenderId: 'ACME' }),
      listKeys: () => sms.listKeys().page(),
      rotateKey: () => sms.rotateKey('key', { KeepOldFor: 'P1D' }),
      getRates: () => sms.getRates('GH'),
      deliveryInsights: () => sms.getDeliveryInsights({ GroupBy: 'day' }),
      listCallbacks: () => sms.listCallbacks().page(),
      replayCallback: () => sms.replayCallback('callback'),
      replayFailedCallbacks: () => sms.replayFailedCallbacks({ Since: '2026-11-20T00:00:00Z' }),
    }
    for (const ask of Object.values(asked)) await ask()
    expect(new Set(sms.calls.map(({ operation }) => operation))).toEqual(new Set(Object.keys(places)))
  })
})

describe('a fake call', () => {
  it('gives its data, and a response when it is asked for one', async () => {
    const sms = createFakeClient()
    const balance = { balance: 3, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }
    vi.spyOn(sms, 'getBalance').mockReturnValue(fakeCall(balance))
    expect(await sms.getBalance()).toEqual(balance)
    const { response } = await sms.getBalance().withResponse()
    expect(JSON.parse(await response.text())).toEqual(balance)
    const own = new Response(null, { headers: { 'x-request-id': 'r-1' } })
    expect((await fakeCall(balance, own).withResponse()).response.headers.get('x-request-id')).toBe('r-1')
  })
})

describe('a signed callback', () => {
  const secret = 'whsec_c2VjcmV0'
  const received = vi.fn()
  const handler = callbackHandler(secret, received)

  it('is taken by a receiver, with what a delivered message says', async () => {
    const sms = createFakeClient()
    const { Ticket } = await sms.sendSms(hello)
    const callback = await signedCallback(sms.deliver(Ticket), secret)
    expect((await handler(callback.request())).status).toBe(204)
    expect((await handler(callback.request('https://shop.example/callbacks'))).status).toBe(204)
    expect(received).toHaveBeenCalledWith(
      expect.objectContaining({ Ticket, ClientReference: 'order-1', Status: 'success' }),
      expect.any(Request),
      expect.any(String),
    )
  })

  it.each([
    ['signed with another secret', {}, 'whsec_b3RoZXI='],
    ['an hour old', { timestamp: Math.floor(Date.now() / 1000) - 3600 }, secret],
  ])('is refused when it is %s', async (_, options, signedWith) => {
    const callback = await signedCallback({}, signedWith, options)
    expect((await handler(callback.request())).status).toBe(401)
  })
})
