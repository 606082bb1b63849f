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
    const fact = { operation: 'sendSms', milliseconds: 0 }
    expect(lines).toEqual([
      [
        'warn',
        'sendSms',
        { ...fact, attempt: 1, status: 503, requestId: 'request-1', reason: 'unavailable' },
      ],
      ['debug', 'sendSms', { ...fact, attempt: 2, status: 200, requestId: 'request-2', reason: undefined }],
      ['error', 'getBalance', expect.objectContaining({ status: 403, reason: 'wallet_forbidden' })],
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
    expect(responses[0]?.error).toMatchObject({ code: 'unavailable' })
  })

  it('see a failed connection', async () => {
    const responses: ResponseEvent[] = []
    const fetch = () => Promise.reject(new TypeError('fetch failed'))
    const onResponse = (event: ResponseEvent) => responses.push(event)
    await failure(createClient({ ...base(), fetch, retries: 0, onResponse }).getBalance())
    expect(responses).toMatchObject([{ status: undefined, error: { name: 'ConnectionError' } }])
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
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('unhandledRejection', listen)
    expect(unhandled).toEqual([])
  })
})
