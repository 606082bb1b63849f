import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fetch as fetchOfUndici } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createClient } from '../src/index.ts'
import { type NodeTransport, nodeTransport } from '../src/node/index.ts'
import { createRawClient } from '../src/raw.ts'
import { credentials, failure, faultServer, GET, json, message, sent } from './fault-server.ts'

const { fetch } = globalThis
let transport: NodeTransport
beforeEach(() => {
  transport = nodeTransport()
})
afterEach(async () => {
  globalThis.fetch = fetch
  await transport.close()
})

/** A server that counts its connections and keeps them open. */
async function serve(listener: RequestListener) {
  let connections = 0
  const server = createServer(listener).on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const accept: RequestListener = (request, response) => {
  request.resume().on('end', () => setTimeout(() => response.end(JSON.stringify(sent)), 5))
}

it("undici's own fetch carries a client and the raw one, with the headers of its answers", async () => {
  await using server = await faultServer(json(200, sent, { 'x-request-id': 'request-1' }))
  const options = { ...credentials, baseUrl: server.baseUrl, fetch: fetchOfUndici }
  const { data, response } = await createClient(options).sendSms(message).withResponse()
  expect({ data, id: response.headers.get('x-request-id') }).toEqual({ data: sent, id: 'request-1' })
  const raw = await createRawClient(options).POST('/v1/messages/sms', {
    body: message,
    params: { header: {} },
  })
  expect({ data: raw.data, id: raw.response.headers.get('x-request-id') }).toEqual({
    data: sent,
    id: 'request-1',
  })
  expect(server.seen.map(({ body }) => JSON.parse(body))).toEqual([message, message])
})

describe('the Node transport', () => {
  it("does without Node's fetch", async () => {
    await using server = await faultServer(json(200, sent))
    globalThis.fetch = () => Promise.reject(new Error('called'))
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, fetch: transport })
    expect(await sms.sendSms(message)).toEqual(sent)
    expect(server.seen.map(({ body }) => JSON.parse(body))).toEqual([message])
  })

  it('keeps its connections for the next calls', async () => {
    await using server = await serve(accept)
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, fetch: transport })
    for (let call = 0; call < 20; call++) await sms.sendSms(message)
    // A second one may be opened while the first has yet to say that it is free.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  it('opens no more connections than it may', async () => {
    await using server = await serve(accept)
    const two = nodeTransport({ connections: 2 })
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, fetch: two })
    const sends = await Promise.all(Array.from({ length: 12 }, () => sms.sendSms(message)))
    expect(sends).toEqual(Array(12).fill(sent))
    expect(server.connections()).toBe(2)
    await two.close()
  })

  it('asks for an answer that is not encoded, since it decodes none', async () => {
    await using server = await faultServer(json(200, { balance: 1 }))
    const headers = { 'Accept-Encoding': 'gzip' }
    await createClient({ ...credentials, baseUrl: server.baseUrl, fetch: transport, headers }).getBalance()
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity')
  })

  it('rejects as fetch does, with what happened as the cause', async () => {
    await using server = await faultServer('reset after reading')
    expect(await failure(transport(server.baseUrl, GET))).toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
    })
    const signal = AbortSignal.abort(new Error('enough'))
    expect(await failure(transport(server.baseUrl, { ...GET, signal }))).toEqual(new Error('enough'))
    expect(await failure((async () => transport('/no/base', GET))())).toMatchObject({ name: 'TypeError' })
  })

  it('never makes a call that was given up while it waited for a connection', async () => {
    const waiting: ServerResponse[] = []
    const urls: (string | undefined)[] = []
    await using server = await serve(({ url }, response) => {
      urls.push(url)
      waiting.push(response)
    })
    const one = nodeTransport({ connections: 1 })
    const first = one(`${server.baseUrl}/first`, GET)
    const controller = new AbortController()
    const { signal } = controller
    const second = one(`${server.baseUrl}/second`, { ...GET, signal })
    const given = failure(second)
    controller.abort(new Error('enough'))
    expect(await given).toEqual(new Error('enough'))
    const third = one(`${server.baseUrl}/third`, GET)
    await expect.poll(() => waiting.length).toBe(1)
    waiting[0]?.end()
    await first
    await expect.poll(() => waiting.length).toBe(2)
    waiting[1]?.end()
    expect((await third).status).toBe(200)
    expect(urls).toEqual(['/first', '/third'])
    await one.close()
  })

  it('makes no more calls once it is closed', async () => {
    await using server = await faultServer(json(200, sent))
    const closed = nodeTransport()
    await closed.close()
    const sms = createClient({ ...credentials, baseUrl: server.baseUrl, fetch: closed, retries: 0 })
    expect(await failure(sms.getBalance())).toMatchObject({ name: 'ConnectionError' })
  })
})

describe('the raw client over the Node transport', () => {
  it('hands real requests and what counts as real responses to a middleware', async () => {
    await using server = await faultServer(json(200, sent))
    const raw = createRawClient({ ...credentials, baseUrl: server.baseUrl, fetch: transport })
    raw.use({
      onRequest: ({ request }) => new Request(request, { headers: { 'x-changed': 'yes' } }),
      onResponse: ({ response }) => new Response(response.body, { status: 202, headers: response.headers }),
    })
    const { data, response } = await raw.POST('/v1/messages/sms', { body: message })
    expect({ data, status: response.status }).toEqual({ data: sent, status: 202 })
    expect(server.seen[0]).toMatchObject({ headers: { 'x-changed': 'yes' }, body: JSON.stringify(message) })
  })

  it('follows no redirect', async () => {
    const location = 'http://elsewhere.invalid/'
    await using server = await faultServer((response) => response.writeHead(307, { location }).end())
    const raw = createRawClient({ ...credentials, baseUrl: server.baseUrl, fetch: transport })
    expect((await raw.GET('/v1/account/balance')).response.status).toBe(307)
  })
})
