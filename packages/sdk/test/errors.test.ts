import { describe, expect, it } from 'vitest'
import {
  AuthenticationError,
  createClient,
  GatewayError,
  InsufficientFundsError,
  NotFoundError,
  RateLimitError,
  ValidationError,
  WigwagError,
} from '../src/index.ts'
import { credentials, failure, message, testClock } from './fault-server.ts'

/** The error that a send is rejected with when the gateway answers so. */
async function errorFor(body: string | null, init: ResponseInit): Promise<GatewayError> {
  const fetch = () => new Response(body, init)
  const sms = createClient({
    ...credentials,
    baseUrl: 'https://gateway.test',
    fetch,
    retries: 0,
    clock: testClock(),
  })
  const error = await failure(sms.sendSms(message))
  if (!(error instanceof GatewayError)) throw error
  return error
}

describe('an error of the gateway', () => {
  it('says everything that the answer said', async () => {
    const errors = [{ pointer: '/To', code: 'invalid_recipient', detail: 'Expected digits.' }]
    const problem = {
      type: 'about:blank',
      title: 'The recipient number is not valid',
      status: 422,
      detail: 'Expected digits.',
      code: 'invalid_recipient',
      requestId: 'request-1',
      errors,
    }
    const error = await errorFor(JSON.stringify(problem), {
      status: 422,
      headers: {
        'retry-after': '3',
        ratelimit: '"default";r=199;t=1',
        'ratelimit-policy': '"default";q=200;w=2',
      },
    })
    expect(error).toBeInstanceOf(ValidationError)
    expect(error).toMatchObject({
      name: 'ValidationError',
      message: 'sendSms: 422 Expected digits.',
      operation: 'sendSms',
      status: 422,
      code: 'invalid_recipient',
      requestId: 'request-1',
      retryAfter: 3,
      rateLimit: { remaining: 199, reset: 1 },
      errors,
      body: problem,
    })
  })

  it.each([
    [400, ValidationError],
    [401, AuthenticationError],
    [402, InsufficientFundsError],
    [403, GatewayError],
    [404, NotFoundError],
    [409, GatewayError],
    [413, ValidationError],
    [415, ValidationError],
    [422, ValidationError],
    [429, RateLimitError],
    [500, GatewayError],
  ])('is of a class to branch on: %i', async (status, type) => {
    const error = await errorFor('{}', { status })
    expect(error.constructor).toBe(type)
    expect(error).toBeInstanceOf(WigwagError)
    expect(error.name).toBe(type.name)
  })
})

describe('an error body that nobody foresaw', () => {
  const expected = { code: undefined, errors: [], retryAfter: undefined, rateLimit: undefined }

  it.each<[string, string | null, string]>([
    [
      'HTML',
      '<html><h1>502 from here</h1></html>',
      'sendSms: 502 Bad Gateway; got text/plain;charset=UTF-8: 502 from here',
    ],
    ['nothing', null, 'sendSms: 502 Bad Gateway'],
    ['empty text', '', 'sendSms: 502 Bad Gateway'],
    ['null', 'null', 'sendSms: 502 Bad Gateway'],
    ['a list', '[1,2]', 'sendSms: 502 Bad Gateway'],
    ['a number', '42', 'sendSms: 502 Bad Gateway'],
    ['JSON that breaks off', '{"code":', 'sendSms: 502 Bad Gateway; got text/plain;charset=UTF-8: {"code":'],
    ['JSON of another kind', '{"message":"upstream is away"}', 'sendSms: 502 upstream is away'],
    ['an error as text', '{"error":"upstream is away"}', 'sendSms: 502 upstream is away'],
    [
      'fields of the wrong kind',
      '{"code":7,"detail":{},"errors":"x","requestId":1}',
      'sendSms: 502 Bad Gateway',
    ],
  ])('reaches the caller when it is %s', async (_, body, said) => {
    const error = await errorFor(body, { status: 502, statusText: 'Bad Gateway' })
    expect(error).toMatchObject({ ...expected, status: 502, message: said })
  })

  it.each<[string, string, string]>([
    [
      'text/html',
      `<!doctype html>\n<html lang="en"><title>Away\u001b[2J</title><p>Back soon</html>`,
      'a page, text/html: Away [2J Back soon',
    ],
    ['text/html; charset=utf-8', 'x'.repeat(2_000), `a page, text/html; charset=utf-8: ${'x'.repeat(80)}`],
    ['text/plain', 'no healthy upstream', 'text/plain: no healthy upstream'],
    // It may break off in the middle of a text or a number.
    ['application/problem+json', '{"detail":"Not 2332', 'application/problem+json: no object'],
  ])('is named by its type, %s, and by its first words', async (type, body, said) => {
    const headers = { 'content-type': type }
    const error = await errorFor(body, { status: 502, statusText: 'Bad Gateway', headers })
    expect(error).toMatchObject({ message: `sendSms: 502 Bad Gateway; got ${said}`, body, uncertain: true })
  })

  it('has no field errors but those that are', async () => {
    const error = await errorFor(
      '{"errors":[null,"x",{"pointer":1},{"pointer":"/To","code":"c","detail":"d"}]}',
      { status: 422 },
    )
    expect(error.errors).toEqual([{ pointer: '/To', code: 'c', detail: 'd' }])
  })

  it('leaves the request id to the header', async () => {
    expect(await errorFor('', { status: 500, headers: { 'x-request-id': 'request-9' } })).toMatchObject({
      requestId: 'request-9',
    })
  })

  it.each([
    ['soon', undefined],
    ['-3', undefined],
    ['0', 0],
    ['Fri, 20 Nov 2026 00:00:30 GMT', 30],
    ['Thu, 19 Nov 2026 00:00:00 GMT', undefined],
  ])('has a Retry-After of %s', async (value, seconds) => {
    expect((await errorFor('', { status: 503, headers: { 'retry-after': value } })).retryAfter).toBe(seconds)
  })
})

describe('uncertain', () => {
  it.each([
    [503, 'unavailable', false],
    [408, 'request_timeout', false],
    [429, 'rate_limited', false],
    [402, 'insufficient_funds', false],
    [500, 'internal_error', true],
    [409, 'idempotency_in_progress', true],
    [422, 'idempotency_key_reused', false],
    [409, 'not_cancellable', false],
  ])('says of %i %s whether a message may have gone out', async (status, code, uncertain) => {
    expect((await errorFor(JSON.stringify({ code }), { status })).uncertain).toBe(uncertain)
  })

  it('stays true after an attempt without an answer, whatever the next one says', async () => {
    const answers = ['lost', Response.json({ code: 'idempotency_key_reused' }, { status: 422 })]
    const fetch = () => {
      const answer = answers.shift()
      if (answer instanceof Response) return answer
      throw new TypeError('fetch failed')
    }
    const sms = createClient({ ...credentials, baseUrl: 'https://gateway.test', fetch, clock: testClock() })
    expect(await failure(sms.sendSms(message))).toMatchObject({ attempts: 2, status: 422, uncertain: true })
  })

  it.each([503, 408, 504, 200])("is true for a stranger's %i", async (status) => {
    expect((await errorFor('?', { status })).uncertain).toBe(true)
  })
})
