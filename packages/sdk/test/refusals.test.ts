import { describe, expect, it } from 'vitest'
import { systemClock } from '../src/clock.ts'
import { type Clock, createClient, GatewayError } from '../src/index.ts'
import { credentials, failure, faultServer, message, problem, type Step, sent } from './fault-server.ts'
import { accepted, sender } from './scripted-send.ts'
import { carriers } from './transports.ts'

describe.each(carriers)('over %s', (_, carrier) => {
  const send = sender(carrier)

  describe('a send that fails for good', () => {
    it.each([
      [400, 'invalid_json'],
      [401, 'invalid_credentials'],
      [402, 'insufficient_funds'],
      [403, 'sender_not_approved'],
      [409, 'not_cancellable'],
      [422, 'invalid_recipient'],
    ])('is made once when the answer is %i %s', async (status, code) => {
      const { outcome, requests } = await send([problem(status, code), accepted])
      expect(outcome).toBeInstanceOf(GatewayError)
      expect(outcome).toMatchObject({ status, code, attempts: 1, uncertain: false })
      expect(requests).toBe(1)
    })

    it('does not follow a redirect, which would take the wallet token elsewhere', async () => {
      await using elsewhere = await faultServer(accepted)
      const redirect: Step = (response) =>
        response.writeHead(307, { location: `${elsewhere.baseUrl}/` }).end()
      const { outcome } = await send([redirect])
      expect(outcome).toMatchObject({ name: 'GatewayError', status: 307 })
      expect(elsewhere.requests()).toBe(0)
    })

    it('keeps the doubt of an earlier attempt when the last one was refused', async () => {
      const { outcome } = await send(['reset after reading', problem(401, 'invalid_credentials')])
      expect(outcome).toMatchObject({ name: 'AuthenticationError', uncertain: true, attempts: 2 })
    })

    it('never leaves with an empty key, which a server would take for none', async () => {
      for (const idempotencyKey of ['', ' ']) {
        const { outcome, requests } = await send([accepted], { idempotencyKey })
        expect(outcome).toBeInstanceOf(TypeError)
        expect(requests).toBe(0)
      }
    })

    it('does not take a mistake in the call for a failure of the network', async () => {
      const { outcome, requests, slept } = await send([accepted], {
        headers: { 'x-note': 'line\nbreak' },
        idempotencyKey: 'order-1',
      })
      expect(outcome).toBeInstanceOf(TypeError)
      expect({ requests, slept }).toEqual({ requests: 0, slept: [] })
    })
  })

  describe('the pause before a repeat', () => {
    it('grows, and is drawn at random from its whole length', async () => {
      const { slept } = await send(['reset after reading'], { retries: 6 })
      expect(slept).toEqual([250, 500, 1000, 2000, 4000, 4000])
    })

    it('is never shorter than the gateway asks', async () => {
      const { outcome, slept } = await send([problem(429, 'rate_limited', { 'retry-after': '7' }), accepted])
      expect(outcome).toEqual(sent)
      expect(slept).toEqual([7250])
    })

    it('understands a date', async () => {
      const date = new Date(Date.UTC(2026, 10, 20, 0, 0, 9)).toUTCString()
      const { slept } = await send([problem(503, 'unavailable', { 'retry-after': date }), accepted])
      expect(slept).toEqual([9250])
    })

    it('is not taken when the gateway asks for more than a minute: the caller is told how long', async () => {
      const { outcome, requests } = await send([
        problem(503, 'unavailable', { 'retry-after': '3600' }),
        accepted,
      ])
      expect(outcome).toMatchObject({ status: 503, retryAfter: 3600 })
      expect(requests).toBe(1)
    })

    it('ends when the caller gives up, however long it would be', async () => {
      await using server = await faultServer(problem(429, 'rate_limited', { 'retry-after': '30' }))
      const giveUp = new AbortController()
      const clock: Clock = {
        ...systemClock,
        sleep(milliseconds, signal) {
          setImmediate(() => giveUp.abort(new Error('enough')))
          return systemClock.sleep(milliseconds, signal)
        },
      }
      const sms = createClient({ ...credentials, ...carrier(), baseUrl: server.baseUrl, clock })
      const sending = sms.sendSms(message, { signal: giveUp.signal, retries: 9 })
      expect(await failure(sending)).toMatchObject({ name: 'AbortedError', cause: new Error('enough') })
      expect(server.requests()).toBe(1)
    })
  })
})
