import { createHttpHandler, type HttpHandlerOptions, type Identity } from '@wigwag/mcp'
import { describe, expect, it } from 'vitest'
import { openConnector } from '../fixtures/connector.ts'
import { MESSAGE } from '../fixtures/message.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

type Handle = (init?: {
  method?: string
  headers?: Record<string, string>
  body?: unknown
}) => Promise<Response>

async function open(options: Partial<HttpHandlerOptions> = {}): Promise<Handle> {
  const { identity } = await openConnector()
  return openFor(identity, options)
}

function openFor(identity: Identity, options: Partial<HttpHandlerOptions> = {}): Handle {
  const handle = createHttpHandler({
    identify: async () => identity,
    allowedHosts: ['127.0.0.1', 'SMS.example.com:8443'],
    allowedOrigins: ['https://chat.example.com'],
    ...options,
  })
  return ({ method = 'POST', headers = {}, body = PING } = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return handle(
      new Request('http://127.0.0.1:8081/mcp', {
        method,
        headers: { ...HEADERS, ...headers },
        ...(method === 'POST' && { body: text }),
      }),
    )
  }
}

describe('a message over HTTP', () => {
  it('is answered as JSON, without a session', async () => {
    const post = await open()
    const response = await post()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it.each([
    ['a notification', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['an answer', { jsonrpc: '2.0', id: 1, result: {} }],
  ])('that is %s is accepted with 202 and no body', async (_name, body) => {
    const post = await open()
    const response = await post({ body })
    expect([response.status, await response.text()]).toEqual([202, ''])
  })

  it.each(['2025-06-18', '2025-11-25'])('may be of version %s', async (version) => {
    const post = await open()
    expect((await post({ headers: { 'mcp-protocol-version': version } })).status).toBe(200)
  })

  it('with an unknown method gets an error of the protocol', async () => {
    const post = await open()
    const response = await post({ body: { ...PING, method: 'completion/complete' } })
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32_601 } })
  })

  it('that calls a tool without an id sends nothing', async () => {
    const { identity, requests } = await openConnector()
    const post = openFor(identity)
    const params = { name: 'send_sms', arguments: MESSAGE }
    await post({ body: { jsonrpc: '2.0', method: 'tools/call', params } })
    expect(requests).toEqual([])
  })

  it('that calls a tool as a task, which is not offered, is a plain call', async () => {
    const post = await open()
    const params = { name: 'get_balance', arguments: {}, task: { ttl: 1000 } }
    const response = await post({ body: { ...PING, method: 'tools/call', params } })
    expect(await response.json()).toMatchObject({ result: { structuredContent: { currency: 'GHS' } } })
  })

  it('that calls an unknown tool gets the names of the tools', async () => {
    const post = await open()
    const response = await post({ body: { ...PING, method: 'tools/call', params: { name: 'send_all' } } })
    expect(await response.json()).toMatchObject({
      error: { code: -32_602, message: expect.stringContaining('"send_all"; expected one of get_balance') },
    })
  })
})

describe("a request that can't be served", () => {
  it.each(['GET', 'DELETE', 'PUT'])('with the method %s gets 405 and the allowed method', async (method) => {
    const post = await open()
    const response = await post({ method })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it.each([
    [406, 'that accepts only HTML', { headers: { accept: 'text/html' } }],
    [406, 'that accepts only a stream', { headers: { accept: 'text/event-stream' } }],
    [415, 'in plain text', { headers: { 'content-type': 'text/plain' } }],
    [413, 'of more than 1 MiB', { body: 'x'.repeat(1_048_577) }],
    [413, 'that says that it is larger', { headers: { 'content-length': '1048577' } }],
    [400, 'that is not JSON', { body: '{' }],
    [400, 'that is empty', { body: '' }],
    [400, 'that is a batch', { body: [PING, PING] }],
    [400, 'that is a string', { body: '"ping"' }],
    [400, 'of another protocol', { body: { ...PING, jsonrpc: '1.0' } }],
  ])('gets %i when it is one %s', async (status, _name, init) => {
    const post = await open()
    const response = await post(init)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: expect.any(Number) },
    })
  })

  it.each([
    ['to come', '2999-01-01'],
    ['never made', '2025-01-01'],
  ])('gets 400 under its own id when it is of a version %s', async (_name, version) => {
    const post = await open()
    const response = await post({ headers: { 'mcp-protocol-version': version } })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: 1,
      error: { code: expect.any(Number) },
    })
  })

  it('that is a batch is told that batches are not supported, since older clients send them', async () => {
    const post = await open()
    expect(await (await post({ body: [PING, PING] })).text()).toContain('batches are not supported')
  })

  it('is identified before its body is read, and gets the answer of identify', async () => {
    const post = await open({
      identify: async () =>
        new Response('sign in', { status: 401, headers: { 'www-authenticate': 'Bearer' } }),
    })
    const response = await post({ body: '{' })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })
})

describe('the check against DNS rebinding', () => {
  it.each([
    'evil.example',
    'evil.example:8081',
    '127.0.0.1.evil.example',
    'evil.sms.example.com:8443',
    'sms.example.com',
    'sms.example.com:80',
  ])('refuses the host %s', async (host) => {
    const post = await open()
    expect((await post({ headers: { host } })).status).toBe(403)
  })

  it.each(['127.0.0.1', '127.0.0.1:9', 'sms.example.com:8443', 'sms.EXAMPLE.com:8443'])(
    'accepts the host %s',
    async (host) => {
      const post = await open()
      expect((await post({ headers: { host } })).status).toBe(200)
    },
  )

  it.each(['http://evil.example', 'null', 'file://', 'https://chat.example.com.evil.example'])(
    'refuses the origin %s',
    async (origin) => {
      const post = await open()
      expect((await post({ headers: { origin } })).status).toBe(403)
    },
  )

  it.each(['http://127.0.0.1:3000', 'https://chat.example.com'])('accepts the origin %s', async (origin) => {
    const post = await open()
    expect((await post({ headers: { origin } })).status).toBe(200)
  })

  it('comes before the caller is identified', async () => {
    const post = await open({
      identify: async () => {
        throw new Error('asked')
      },
    })
    expect((await post({ headers: { host: 'evil.example' } })).status).toBe(403)
  })
})
