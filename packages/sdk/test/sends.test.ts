import { describe, expect, it } from 'vitest'
import {
  type CallOptions,
  type ClientOptions,
  ConnectionError,
  createClient,
  GatewayError,
  TimeoutError,
} from '../src/index.ts'
import {
  credentials,
  type FaultServer,
  failure,
  faultServer,
  json,
  message,
  problem,
  type Step,
  sent,
  testClock,
} from './fault-server.ts'

const accepted = json(200, sent)

/** Sends one message to a server that follows a script, and says what came of it. */
async function send(script: Step[], options: CallOptions = {}, client: Partial<ClientOptions> = {}) {
  await using server: FaultServer = await faultServer(...script)
  const clock = testClock()
  const sms = createClient({
    ...credentials,
    baseUrl: server.baseUrl,
    clock,
    random: () => 0.5,
    ...client,
  } as ClientOptions)
  const outcome = await sms.sendSms(message, options).catch((error: unknown) => error)
  return {
    outcome,
    requests: server.requests(),
    read: server.seen,
    keys: server.keys(),
    slept: clock.slept,
  }
}

const halfReply: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
  response.write('{"Cost":0,', () => response.socket?.destroy())
}

const brokenOff: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"Cost":0,"Dest')
}

const slowBody: Step = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"Cost":')
}

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
    const { outcome, requests, keys } = await send(['say nothing', accepted], { timeout: 1000 })
    expect(outcome).toEqual(sent)
    expect({ requests, keys: keys.length }).toEqual({ requests: 2, keys: 1 })
  })

  it('is repeated when the body of the answer stalls', async () => {
    const { outcome, requests, keys } = await send([slowBody, accepted], { timeout: 1000 })
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
    const { outcome, requests } = await send(['say nothing'], { timeout: 1000, retries: 1 })
    expect(outcome).toBeInstanceOf(TimeoutError)
    expect(outcome).toMatchObject({ uncertain: true, attempts: 2 })
    expect(requests).toBe(2)
  })

  it('may take any time when the time-out is Infinity', async () => {
    expect((await send([accepted], { timeout: Number.POSITIVE_INFINITY })).outcome).toEqual(sent)
  })

  it('is made once when retries is 0, or is not a number', async () => {
    expect((await send(['reset after reading'], { retries: 0 })).requests).toBe(1)
    expect((await send(['reset after reading'], { retries: Number.NaN })).requests).toBe(1)
  })

  it('sends the bytes of the first attempt again, whatever becomes of the object', async () => {
    await using server = await faultServer('reset after reading', accepted)
    const mutable = { ...message }
    const clock = testClock()
    const sleep = async () => {
      mutable.Content = 'Changed'
    }
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, clock: { ...clock, sleep } })
    await sms.sendSms(mutable)
    expect(server.seen.map(({ body }) => body)).toEqual([JSON.stringify(message), JSON.stringify(message)])
  })
})

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
    const redirect: Step = (response) => response.writeHead(307, { location: `${elsewhere.baseUrl}/` }).end()
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

  it('ends when the caller gives up, however long it would be', { timeout: 5000 }, async () => {
    await using server = await faultServer(problem(429, 'rate_limited', { 'retry-after': '30' }))
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, random: () => 1 })
    const giveUp = new AbortController()
    const sending = sms.sendSms(message, { signal: giveUp.signal, retries: 9 })
    setTimeout(() => giveUp.abort(new Error('enough')), 100)
    expect(await failure(sending)).toEqual(new Error('enough'))
    expect(server.requests()).toBe(1)
  })
})

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
    const { outcome, requests } = await send(['say nothing', accepted], { timeout: 1000 }, { resend })
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
    const sms = createClient({ ...credentials, baseUrl: closed.baseUrl, clock, resend })
    expect(await failure(sms.sendSms(message))).toMatchObject({
      name: 'ConnectionError',
      uncertain: false,
      attempts: 3,
    })
  })

  it('gets a send again that may double when it is asked for', async () => {
    expect((await send(['reset after reading', accepted], { resend: 'always' }, { resend })).outcome).toEqual(
      sent,
    )
  })

  it('is asked again for what costs nothing', async () => {
    const balance = { balance: 1, currency: 'GHS', asOf: '2026-11-20T09:31:00.000Z' }
    await using server = await faultServer('reset after reading', json(200, balance))
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, clock: testClock(), resend })
    expect(await sms.getBalance()).toEqual(balance)
    expect(server.seen[0]?.headers).not.toHaveProperty('idempotency-key')
  })
})

describe('an idempotency key', () => {
  it('is new for every call', async () => {
    await using server = await faultServer(accepted)
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl })
    await sms.sendSms(message)
    await sms.sendSms(message)
    await sms.scheduleSms({ ...message, SendAt: '2026-12-01T08:00:00Z' })
    await sms.sendBulkSms({ From: 'ACME', Content: 'Hello', Recipients: [{ To: '233201234567' }] })
    expect(server.keys()).toHaveLength(4)
  })

  it("is the caller's when there is one, however it was given", async () => {
    expect((await send(['reset after reading', accepted], { idempotencyKey: 'order-1' })).keys).toEqual([
      'order-1',
    ])
    expect((await send([accepted], { headers: { 'idempotency-key': 'order-2' } })).keys).toEqual(['order-2'])
  })
})

describe('a call that is given up', () => {
  it('rejects with the reason of the signal and is not repeated', async () => {
    await using server = await faultServer('say nothing')
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, clock: testClock() })
    const giveUp = new AbortController()
    setTimeout(() => giveUp.abort(new Error('enough')), 100)
    expect(await failure(sms.sendSms(message, { signal: giveUp.signal, retries: 0 }))).toEqual(
      new Error('enough'),
    )
    expect(server.requests()).toBe(1)
  })

  it('makes no request when the signal was aborted before', async () => {
    const { outcome, requests } = await send([accepted], { signal: AbortSignal.abort(new Error('never')) })
    expect(outcome).toEqual(new Error('never'))
    expect(requests).toBe(0)
  })
})
