import { describe, expect, it } from 'vitest'
import { ConnectionError, createClient, TimeoutError } from '../src/index.ts'
import { credentials, faultServer, message, problem, type Step, sent, testClock } from './fault-server.ts'
import { accepted, brokenOff, halfReply, heldTimers, sender, stalls } from './scripted-send.ts'
import { carriers } from './transports.ts'

describe.each(carriers)('over %s', (_, carrier) => {
  const send = sender(carrier)

  describe('a send that fails in passing', () => {
    it.each<[string, Step]>([
      ['the connection is reset before the request is read', 'reset unread'],
      ['the connection is reset after the request was read', 'reset after reading'],
      ['the reply stops half way', halfReply],
      ['the reply is JSON that breaks off', brokenOff],
      ['the answer is 408', problem(408, 'request_timeout')],
      ['the same key is still running', problem(409, 'idempotency_in_progress')],
      ['there are too many requests', problem(429, 'rate_limited')],
      ['the answer is 500', problem(500, 'internal_error')],
      [
        'a proxy answers 502 in HTML',
        (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad</h1>'),
      ],
      ['the answer is 503', problem(503, 'unavailable')],
    ])('reaches the caller as one result when %s', async (_, fault) => {
      const { outcome, requests, keys, read } = await send([fault, accepted])
      expect(outcome).toEqual(sent)
      expect(requests).toBe(2)
      expect(keys).toHaveLength(1)
      expect(keys[0]).toMatch(/^[!-~]{16,255}$/)
      expect(new Set(read.map(({ body }) => body))).toEqual(new Set([JSON.stringify(message)]))
    })

    it('is repeated when no answer comes in time', async () => {
      const { end } = heldTimers(1_000)
      const { outcome, requests, keys } = await send([end, accepted], { timeout: 1_000 })
      expect(outcome).toEqual(sent)
      expect({ requests, keys: keys.length }).toEqual({ requests: 2, keys: 1 })
    })

    it('is repeated when the body of the answer stalls', async () => {
      const { end } = heldTimers(1_000)
      const { outcome, requests, keys } = await send([stalls(end), accepted], { timeout: 1_000 })
      expect(outcome).toEqual(sent)
      expect({ requests, keys: keys.length }).toEqual({ requests: 2, keys: 1 })
    })

    it('is repeated when a stranger answers 200 with something that is not JSON', async () => {
      const portal: Step = (response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Log in</h1>')
      }
      expect((await send([portal, accepted])).outcome).toEqual(sent)
      const { outcome, requests } = await send([portal])
      expect(outcome).toMatchObject({
        name: 'GatewayError',
        status: 200,
        body: '<h1>Log in</h1>',
        uncertain: true,
      })
      expect(requests).toBe(3)
    })

    it('goes through a sequence of different faults with one key', async () => {
      const script: Step[] = [
        'reset after reading',
        problem(409, 'idempotency_in_progress'),
        problem(503, 'unavailable'),
        accepted,
      ]
      const { outcome, requests, keys } = await send(script, { retries: 3 })
      expect(outcome).toEqual(sent)
      expect({ requests, keys: keys.length }).toEqual({ requests: 4, keys: 1 })
    })

    it('is given up after two repeats, and the error carries the key to ask again with', async () => {
      const { outcome, requests, keys } = await send(['reset after reading'])
      expect(outcome).toBeInstanceOf(ConnectionError)
      expect(outcome).toMatchObject({
        operation: 'sendSms',
        attempts: 3,
        uncertain: true,
        idempotencyKey: keys[0],
      })
      expect(requests).toBe(3)
    })

    it('says that a time-out was one', async () => {
      const { end } = heldTimers(1_000)
      const { outcome, requests } = await send([end], { timeout: 1_000, retries: 1 })
      expect(outcome).toBeInstanceOf(TimeoutError)
      expect(outcome).toMatchObject({ uncertain: true, attempts: 2 })
      expect(requests).toBe(2)
    })

    it('may take any time when the time-out is Infinity', async () => {
      expect((await send([accepted], { timeout: Number.POSITIVE_INFINITY })).outcome).toEqual(sent)
    })

    it('is made once when retries is 0', async () => {
      expect((await send(['reset after reading'], { retries: 0 })).requests).toBe(1)
    })

    it('sends the bytes of the first attempt again, whatever becomes of the object', async () => {
      await using server = await faultServer('reset after reading', accepted)
      const mutable = { ...message }
      const clock = testClock()
      const sleep = async () => {
        mutable.Content = 'Changed'
      }
      const sms = createClient({
        ...credentials,
        ...carrier(),
        baseUrl: server.baseUrl,
        clock: { ...clock, sleep },
      })
      await sms.sendSms(mutable)
      expect(server.seen.map(({ body }) => body)).toEqual([JSON.stringify(message), JSON.stringify(message)])
    })
  })
})
