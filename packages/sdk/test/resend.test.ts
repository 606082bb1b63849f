import { describe, expect, it } from 'vitest'
import { createClient, TimeoutError } from '../src/index.ts'
import {
  credentials,
  failure,
  faultServer,
  json,
  message,
  type Step,
  sent,
  testClock,
} from './fault-server.ts'
import { accepted, halfReply, heldTimers, sender } from './scripted-send.ts'
import { carriers } from './transports.ts'

describe.each(carriers)('over %s', (_, carrier) => {
  const send = sender(carrier)

  describe('a gateway that does not know the key', () => {
    const resend = 'when-safe'

    it.each<[string, Step]>([
      ['the connection is reset after the request was read', 'reset after reading'],
      ['the connection is reset before the request is read', 'reset unread'],
      ['the reply stops half way', halfReply],
      ['the answer is 500', json(500, { message: 'oops' })],
      ['the answer is 503 of a stranger', json(503, {})],
      ['the answer is 408 of a stranger', json(408, {})],
    ])('gets a send once when %s', async (_, fault) => {
      const { outcome, requests } = await send([fault, accepted], { resend })
      expect(outcome).toMatchObject({ uncertain: true })
      expect(requests).toBe(1)
    })

    it('gets a send once when no answer comes in time', async () => {
      const { end } = heldTimers(1_000)
      const { outcome, requests } = await send([end, accepted], { timeout: 1_000 }, { resend })
      expect(outcome).toBeInstanceOf(TimeoutError)
      expect(requests).toBe(1)
    })

    it('gets a send again that it surely did not take', async () => {
      expect((await send([json(429, {}), accepted], { resend })).outcome).toEqual(sent)
    })

    it('gets a send again when no connection could be made', async () => {
      const closed = await faultServer(accepted)
      await closed[Symbol.asyncDispose]()
      const clock = testClock()
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: closed.baseUrl, clock, resend })
      expect(await failure(sms.sendSms(message))).toMatchObject({
        name: 'ConnectionError',
        uncertain: false,
        attempts: 3,
      })
    })

    it('is asked again for what costs nothing', async () => {
      const balance = { balance: 1, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }
      await using server = await faultServer('reset after reading', json(200, balance))
      const sms = createClient({
        ...credentials,
        ...carrier(),
        baseUrl: server.baseUrl,
        clock: testClock(),
        resend,
      })
      expect(await sms.getBalance()).toEqual(balance)
      expect(server.seen[0]?.headers).not.toHaveProperty('idempotency-key')
    })
  })

  describe('an idempotency key', () => {
    it('is new for every call', async () => {
      await using server = await faultServer(accepted)
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl, clock: testClock() })
      await sms.sendSms(message)
      await sms.sendSms(message)
      await sms.scheduleSms({ ...message, SendAt: '2026-12-01T08:00:00Z' })
      await failure(sms.sendBulkSms({ From: 'ACME', Content: 'Hello', Recipients: [{ To: '233201234567' }] }))
      expect(new Set(server.keys()).size).toBe(4)
    })

    it("is the caller's when there is one, however it was given", async () => {
      expect((await send(['reset after reading', accepted], { idempotencyKey: 'order-1' })).keys).toEqual([
        'order-1',
      ])
      expect((await send([accepted], { headers: { 'idempotency-key': 'order-2' } })).keys).toEqual([
        'order-2',
      ])
    })
  })

  describe('a call that is given up', () => {
    it('rejects with what is known and the reason of the signal, and is not repeated', async () => {
      const giveUp = new AbortController()
      await using server = await faultServer(() => giveUp.abort(new Error('enough')))
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl, clock: testClock() })
      const error = await failure(sms.sendSms(message, { signal: giveUp.signal, idempotencyKey: 'order-1' }))
      const known = { uncertain: true, attempts: 1, idempotencyKey: 'order-1', operation: 'sendSms' }
      expect(error).toMatchObject({ name: 'AbortedError', cause: new Error('enough'), ...known })
      expect(server.requests()).toBe(1)
    })

    it('makes no request when the signal was aborted before', async () => {
      const { outcome, requests } = await send([accepted], { signal: AbortSignal.abort(new Error('never')) })
      expect(outcome).toMatchObject({
        name: 'AbortedError',
        cause: new Error('never'),
        attempts: 0,
        uncertain: false,
      })
      expect(requests).toBe(0)
    })
  })
})
