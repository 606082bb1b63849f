import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  CallbackError,
  type CallbackPayload,
  callbackHandler,
  parseCallback,
  signCallback,
  verifyCallback,
} from '../src/index.ts'
import { failure } from './fault-server.ts'

const secret = `whsec_${btoa('a secret of some length')}`
const other = `whsec_${btoa('another secret, also long')}`
const payload: CallbackPayload = {
  ClientReference: 'order-1',
  Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  Destination: '233241234567',
  Cost: 0.045,
  BalanceBefore: 100,
  BalanceAfter: 99.955,
  Status: 'success',
}
const body = JSON.stringify(payload)
const seconds = () => Math.floor(Date.now() / 1000)

async function signed(
  secrets: string | string[] = secret,
  timestamp = seconds(),
  text = body,
): Promise<Request> {
  const headers = await signCallback(text, secrets, { timestamp })
  return new Request('https://shop.test/callbacks', { method: 'POST', headers, body: text })
}

describe('a callback', () => {
  it('is trusted when it was signed with the secret, lately', async () => {
    expect(await verifyCallback(await signed(), secret)).toEqual(payload)
  })

  it('is trusted as a raw body and headers, in whatever form they are', async () => {
    const headers = await signCallback(body, secret)
    const shouted = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    )
    const bytes = new TextEncoder().encode(body)
    for (const form of [headers, shouted, new Headers(headers)]) {
      expect(await verifyCallback({ body, headers: form }, secret)).toEqual(payload)
      expect(await verifyCallback({ body: bytes, headers: form }, secret)).toEqual(payload)
      expect(await verifyCallback({ body: bytes.buffer, headers: form }, secret)).toEqual(payload)
    }
  })

  it('is signed as Standard Webhooks says', async () => {
    const headers = await signCallback('{"a":"é"}', secret, { id: 'msg_1', timestamp: 1700000000 })
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update('msg_1.1700000000.{"a":"é"}').digest('base64')
    expect(headers).toEqual({
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${expected}`,
    })
  })

  it('is trusted while the gateway replaces the secret, whichever of the two the receiver holds', async () => {
    for (const held of [secret, other])
      expect(await verifyCallback(await signed([other, secret]), held)).toEqual(payload)
  })

  it('is trusted while the receiver replaces the secret and holds both', async () => {
    for (const used of [secret, other])
      expect(await verifyCallback(await signed(used), [other, secret])).toEqual(payload)
  })

  it('is trusted beside signatures of kinds that are not known here', async () => {
    const headers = await signCallback(body, secret)
    const many = { ...headers, 'webhook-signature': `v1a,AAAA v2,BBBB ${headers['webhook-signature']}` }
    expect(await verifyCallback({ body, headers: many }, secret)).toEqual(payload)
  })
})

describe("a callback that can't be trusted", () => {
  const reasonFor = async (callback: Parameters<typeof verifyCallback>[0], options = {}) => {
    const error = await failure(verifyCallback(callback, secret, options))
    expect(error).toBeInstanceOf(CallbackError)
    return error instanceof CallbackError && [error.reason, error.status]
  }

  it('is one that another secret signed', async () => {
    expect(await reasonFor(await signed(other))).toEqual(['forged', 401])
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is one without %s', async (name) => {
    const request = await signed()
    request.headers.delete(name)
    expect(await reasonFor(request)).toEqual(['unsigned', 401])
  })

  it('is one whose body, id or time was changed', async () => {
    const headers = await signCallback(body, secret)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    expect(await reasonFor({ body: body.replace('success', 'failed'), headers })).toEqual(['forged', 401])
    expect(await reasonFor({ body: `${body} `, headers })).toEqual(['forged', 401])
    expect(await reasonFor({ body, headers: { ...headers, 'webhook-id': 'x' } })).toEqual(['forged', 401])
    expect(await reasonFor({ body, headers: { ...headers, 'webhook-timestamp': later } })).toEqual([
      'forged',
      401,
    ])
  })

  it('is one whose signature is cut short, empty or of another kind', async () => {
    const headers = await signCallback(body, secret)
    const signature = headers['webhook-signature']
    for (const wrong of [
      signature.slice(0, -1),
      `${signature}=`,
      'v1,',
      signature.replace('v1,', 'v2,'),
      signature.slice(3),
    ]) {
      expect(await reasonFor({ body, headers: { ...headers, 'webhook-signature': wrong } })).toEqual([
        'forged',
        401,
      ])
    }
  })

  it('is one that is older than five minutes, or as much ahead', async () => {
    expect(await reasonFor(await signed(secret, seconds() - 302))).toEqual(['old', 401])
    expect(await reasonFor(await signed(secret, seconds() + 302))).toEqual(['old', 401])
    expect(await verifyCallback(await signed(secret, seconds() - 295), secret)).toEqual(payload)
  })

  it('is old by the tolerance and the time that you give', async () => {
    const now = () => Date.UTC(2026, 10, 20)
    expect(await reasonFor(await signed(secret, now() / 1000 - 61), { tolerance: 60, now })).toEqual([
      'old',
      401,
    ])
    expect(
      await verifyCallback(await signed(secret, now() / 1000 - 60), secret, { tolerance: 60, now }),
    ).toEqual(payload)
  })

  it.each(['NaN', '', 'Infinity', '-1', '1e9', '0x10'])('is one with the time %j', async (timestamp) => {
    const headers = { ...(await signCallback(body, secret)), 'webhook-timestamp': timestamp }
    expect(await reasonFor({ body, headers }, { now: () => 0 })).toMatchObject([
      expect.stringMatching(/old|unsigned/),
      401,
    ])
  })
})

describe("a callback that can't be read", () => {
  it.each([
    ['text', 'hello'],
    ['a list', '[]'],
    ['null', 'null'],
    ['no fields', '{}'],
    ['a field of another type', JSON.stringify({ ...payload, Cost: '0.045' })],
    ['nothing', ''],
  ])('is one with %s', async (_, text) => {
    const error = await failure(verifyCallback(await signed(secret, seconds(), text), secret))
    expect(error).toMatchObject({ name: 'CallbackError', reason: 'unreadable', status: 400 })
  })

  it('is one that is not UTF-8', async () => {
    const bytes = new TextEncoder().encode(body).map((byte) => (byte === 0x2d ? 0xff : byte))
    const headers = await signCallback(bytes, secret)
    expect(await failure(verifyCallback({ body: bytes, headers }, secret))).toMatchObject({
      reason: 'unreadable',
    })
  })

  it('is one whose body has no end: it is read to 64 KiB', async () => {
    let chunks = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks++
        controller.enqueue(new Uint8Array(16_384))
      },
    })
    const headers = await signCallback('', secret)
    const init = { method: 'POST', headers, body: endless, duplex: 'half' }
    const error = await failure(verifyCallback(new Request('https://shop.test', init), secret))
    expect(error).toMatchObject({ reason: 'unreadable', status: 400 })
    expect(chunks).toBeLessThan(10)
  })
})

describe("a secret that can't be one", () => {
  it.each(['', 'whsec_', 'whsec_*', '\u00e9'])('is a mistake of the set-up: %j', async (wrong) => {
    const error = await failure(verifyCallback(await signed(), wrong))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).not.toContain('*')
  })
})

describe('parseCallback', () => {
  it('gives the payload of a gateway that signs none', async () => {
    const request = () => new Request('https://shop.test', { method: 'POST', body })
    for (const callback of [body, new TextEncoder().encode(body), request(), { body, headers: {} }]) {
      expect(await parseCallback(callback)).toEqual(payload)
    }
  })

  it('refuses what is not a callback', async () => {
    expect(await failure(parseCallback('{}'))).toMatchObject({ reason: 'unreadable' })
  })
})

describe('callbackHandler', () => {
  const handled = async (request: Request, handle?: () => unknown) => {
    const seen: CallbackPayload[] = []
    const handler = callbackHandler(secret, (one) => {
      seen.push(one)
      return handle?.()
    })
    return { response: await handler(request), seen }
  }

  it('hands over the payload, once, and answers 204 when that is done', async () => {
    let isDone = false
    const { response, seen } = await handled(await signed(), async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      isDone = true
    })
    expect(isDone).toBe(true)
    expect(response.status).toBe(204)
    expect(seen).toEqual([payload])
  })

  it('answers 401 to a bad signature, an old one and none, and hands over nothing', async () => {
    const unsigned = new Request('https://shop.test', { method: 'POST', body })
    for (const request of [await signed(other), await signed(secret, seconds() - 900), unsigned]) {
      const { response, seen } = await handled(request)
      expect(response.status).toBe(401)
      expect(seen).toEqual([])
    }
  })

  it('answers 400 to a bad body, and hands over nothing', async () => {
    const { response, seen } = await handled(await signed(secret, seconds(), '{}'))
    expect(response.status).toBe(400)
    expect(seen).toEqual([])
  })

  it('answers 405 to what is not a POST', async () => {
    const { response } = await handled(new Request('https://shop.test'))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('hands over the id of the callback, by which each can be handled once', async () => {
    const ids: string[] = []
    const handler = callbackHandler(secret, (_payload, _request, id) => ids.push(id))
    const headers = await signCallback(body, secret, { id: 'msg_1' })
    for (const _ of ['first', 'again'])
      await handler(new Request('https://shop.test', { method: 'POST', headers, body }))
    expect(ids).toEqual(['msg_1', 'msg_1'])
  })
})

describe('a callback that the receiver fails at', () => {
  const boom = () => {
    throw new Error('boom: +233241234567')
  }
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })

  it('is answered with 500, so that the gateway tries again, and the error goes to onError', async () => {
    const reported: unknown[] = []
    const onError = (error: unknown, request: Request) => reported.push(error, request.url)
    for (const handle of [boom, async () => boom()]) {
      const response = await callbackHandler(secret, handle, { onError })(await signed())
      expect(response.status).toBe(500)
      expect(await response.text()).toBe('The receiver failed. Its log says why.')
    }
    const one = [new Error('boom: +233241234567'), 'https://shop.test/callbacks']
    expect(reported).toEqual([...one, ...one])
  })

  it('goes to console.error when there is no onError', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect((await callbackHandler(secret, boom)(await signed())).status).toBe(500)
    expect(log.mock.calls).toEqual([[new Error('boom: +233241234567')]])
  })

  it('is left to the framework when onError throws', async () => {
    const onError = (error: unknown) => {
      throw error
    }
    const handler = callbackHandler(secret, boom, { onError })
    expect(await failure(handler(await signed()))).toEqual(new Error('boom: +233241234567'))
  })

  it('is answered with 500 when your function throws a CallbackError: the callback itself was good', async () => {
    const handle = () => {
      throw new CallbackError('forged', 'of another callback')
    }
    const response = await callbackHandler(secret, handle, { onError: () => {} })(await signed())
    expect(response.status).toBe(500)
  })

  it.each([
    ['no secret', undefined],
    ['a malformed one', 'whsec_*not-base64*'],
    ['an empty list of them', []],
  ])('for %s is told what is wrong with the set-up, and so is onError', async (_, wrong) => {
    vi.stubEnv('WIGWAG_CALLBACK_SECRET', undefined)
    const reported: unknown[] = []
    const options = { secret: wrong, onError: (error: unknown) => reported.push(error) }
    const response = await callbackHandler(() => {}, options)(await signed())
    const text = await response.text()
    expect([response.status, text]).toEqual([500, expect.stringContaining('callback secret')])
    expect(text).not.toContain('not-base64')
    expect(reported).toEqual([new TypeError(text)])
  })

  it('because its body was read before is told how to keep it', async () => {
    const request = await signed()
    await request.json()
    const reported: unknown[] = []
    const handler = callbackHandler(secret, () => {}, { onError: (error) => reported.push(error) })
    const response = await handler(request)
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.stringContaining('request.rawBody'),
    ])
    expect(reported).toHaveLength(1)
  })
})

describe('a secret in the environment', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('is read when a callback comes, not when the handler is made', async () => {
    vi.stubEnv('WIGWAG_CALLBACK_SECRET', undefined)
    const seen: string[] = []
    const handler = callbackHandler(({ Ticket }) => seen.push(Ticket))
    vi.stubEnv('WIGWAG_CALLBACK_SECRET', `${secret}\n`)
    expect((await handler(await signed())).status).toBe(204)
    expect((await handler(await signed(other))).status).toBe(401)
    expect(seen).toEqual([payload.Ticket])
  })

  it('may be two while one is being replaced', async () => {
    vi.stubEnv('WIGWAG_CALLBACK_SECRET', `${other} ${secret}`)
    const handler = callbackHandler(() => {})
    for (const used of [secret, other]) expect((await handler(await signed(used))).status).toBe(204)
  })

  it('is not used when you pass one', async () => {
    vi.stubEnv('WIGWAG_CALLBACK_SECRET', other)
    for (const handler of [callbackHandler(secret, () => {}), callbackHandler(() => {}, { secret })]) {
      expect((await handler(await signed(other))).status).toBe(401)
      expect((await handler(await signed())).status).toBe(204)
    }
  })
})
