import { describe, expect, it } from 'vitest'
import { createClient, type RequestEvent, type ResponseEvent } from '../src/index.ts'
import { credentials, failure, message, sent, testClock } from './fault-server.ts'

/** A gateway that fails once and then accepts. */
function failsOnce() {
  let requests = 0
  return () =>
    requests++
      ? Response.json(sent, { headers: { 'x-request-id': 'request-2' } })
      : Response.json(
          { code: 'unavailable', detail: `Hello ${message.To}`, requestId: 'request-1' },
          { status: 503 },
        )
}

const base = () => ({
  ...credentials,
  baseUrl: 'https://gateway.test',
  fetch: failsOnce(),
  clock: testClock(),
})

describe('the logger', () => {
  it('gets a line for every request, of a level that says how it went', async () => {
    const lines: unknown[] = []
    const at = (level: string) => (text: string, details: object) => lines.push([level, text, details])
    const logger = { debug: at('debug'), warn: at('warn'), error: at('error') }
    const sms = createClient({ ...base(), logger })
    await sms.sendSms(message)
    const refuse = () => Response.json({ code: 'wallet_forbidden' }, { status: 403 })
    await failure(createClient({ ...base(), fetch: refuse, logger }).getBalance())
    const any = expect.any(String)
    const fact = { operation: 'sendSms', milliseconds: 0, callId: any, idempotencyKey: any }
    const first = { status: 503, requestId: 'request-1', reason: 'unavailable', willRepeat: true }
    const second = { status: 200, requestId: 'request-2', reason: undefined, willRepeat: false }
    expect(lines).toEqual([
      [
        'warn',
        'sendSms: attempt 1, 503, unavailable, request request-1, 0 ms; trying again',
        { ...fact, attempt: 1, ...first },
      ],
      ['debug', 'sendSms: attempt 2, 200, request request-2, 0 ms', { ...fact, attempt: 2, ...second }],
      [
        'error',
        'getBalance: attempt 1, 403, wallet_forbidden, 0 ms',
        expect.objectContaining({ status: 403 }),
      ],
    ])
  })

  it('never gets a credential, a number or a text', async () => {
    const lines: string[] = []
    const write = (text: string, details: object) => lines.push(text + JSON.stringify(details))
    await createClient({ ...base(), logger: { debug: write, warn: write, error: write } }).sendSms(message)
    expect(lines).toHaveLength(2)
    const all = lines.join('\n')
    for (const hidden of [...Object.values(credentials), btoa('acme:secret'), message.To, message.Content]) {
      expect(all).not.toContain(hidden)
    }
  })

  it('may be the console, or only a part of one', async () => {
    expect(await createClient({ ...base(), logger: {} }).sendSms(message)).toEqual(sent)
    createClient({ ...base(), logger: console })
  })
})

describe('the hooks', () => {
  it('see every request and what became of it, without credentials', async () => {
    const requests: RequestEvent[] = []
    const responses: ResponseEvent[] = []
    const onRequest = (event: RequestEvent) => requests.push(event)
    const onResponse = (event: ResponseEvent) => responses.push(event)
    await createClient({ ...base(), onRequest, onResponse }).sendSms(message, { idempotencyKey: 'order-1' })
    expect(requests.map(({ operation, attempt, url }) => [operation, attempt, url])).toEqual([
      ['sendSms', 1, 'https://gateway.test/v1/messages/sms'],
      ['sendSms', 2, 'https://gateway.test/v1/messages/sms'],
    ])
    expect(requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['order-1', 'order-1'])
    expect(JSON.stringify(requests)).not.toContain('wallet-token')
    expect(responses.map(({ attempt, status, requestId }) => [attempt, status, requestId])).toEqual([
      [1, 503, 'request-1'],
      [2, 200, 'request-2'],
    ])
    expect(responses[0]).toMatchObject({ reason: 'unavailable', willRepeat: true })
  })

  it('see no number or text, in an address or in the reason of a failure', async () => {
    const events: unknown[] = []
    const see = (event: unknown) => events.push(event)
    const refuse = () =>
      Response.json({ code: 'invalid_recipient', detail: 'Not 233201234567.' }, { status: 422 })
    const sms = createClient({ ...base(), fetch: refuse, onRequest: see, onResponse: see })
    await failure(sms.searchMessages({ To: '233201234567' }).page())
    await failure(sms.sendSms(message))
    expect(events).toHaveLength(4)
    expect(JSON.stringify(events)).not.toMatch(/2332|Hello|wallet-token/)
  })

  it('can tell which attempts belong to one call', async () => {
    const ids: string[] = []
    const onRequest = ({ callId }: RequestEvent) => ids.push(callId)
    const sms = createClient({ ...base(), onRequest, onResponse: ({ callId }) => ids.push(callId) })
    await sms.sendSms(message)
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(1)
    await failure(sms.getBalance())
    expect(new Set(ids).size).toBe(2)
  })

  it('see a failed connection', async () => {
    const responses: ResponseEvent[] = []
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const onResponse = (event: ResponseEvent) => responses.push(event)
    await failure(createClient({ ...base(), fetch, retries: 0, onResponse }).getBalance())
    expect(responses).toMatchObject([{ status: undefined, reason: 'ConnectionError', willRepeat: false }])
  })

  it("can't make a send fail, now or later", async () => {
    const unhandled: unknown[] = []
    const listen = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', listen)
    const boom = () => {
      throw new Error('boom')
    }
    const later = async () => boom()
    const logger = { debug: boom, warn: boom }
    expect(
      await createClient({ ...base(), logger, onRequest: boom, onResponse: boom }).sendSms(message),
    ).toEqual(sent)
    expect(await createClient({ ...base(), onRequest: later, onResponse: later }).sendSms(message)).toEqual(
      sent,
    )
    // A rejection that nobody handles is told before the next turn.
    await new Promise((go) => setImmediate(go))
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })
})
