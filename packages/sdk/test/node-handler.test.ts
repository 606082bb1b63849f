import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { callbackHandler, signCallback, toNodeHandler } from '../src/index.ts'

const secret = `whsec_${btoa('a secret of some length')}`
const body = JSON.stringify({
  ClientReference: 'é',
  Ticket: 't',
  Destination: '233241234567',
  Cost: 0.045,
  BalanceBefore: 100,
  BalanceAfter: 99.955,
  Status: 'success',
})

async function serve(listener: RequestListener) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/callbacks?x=1`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function receiver() {
  const seen: string[] = []
  const handler = toNodeHandler(callbackHandler(secret, (payload) => seen.push(payload.ClientReference)))
  return { seen, handler }
}

describe('toNodeHandler', () => {
  it('serves node:http', async () => {
    const { seen, handler } = receiver()
    await using server = await serve(handler)
    const response = await fetch(server.url, {
      method: 'POST',
      headers: await signCallback(body, secret),
      body,
    })
    expect(response.status).toBe(204)
    expect(seen).toEqual(['é'])
  })

  it('passes on what the handler answers', async () => {
    const { seen, handler } = receiver()
    await using server = await serve(handler)
    expect((await fetch(server.url, { method: 'POST', body })).status).toBe(401)
    const get = await fetch(server.url)
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
    expect(seen).toEqual([])
  })

  it('answers 500 when the handler rejects, and reports the error', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    await using server = await serve(toNodeHandler(() => Promise.reject(new Error('boom'))))
    const response = await fetch(server.url)
    expect([response.status, await response.text()]).toEqual([500, 'The receiver failed. Its log says why.'])
    expect(log.mock.calls).toEqual([[new Error('boom')]])
    log.mockRestore()
  })

  it('gives Express the error when the handler rejects', async () => {
    const errors: unknown[] = []
    const boom = toNodeHandler(() => Promise.reject(new Error('boom')))
    await using server = await serve((request, response) => {
      boom(request, response, (error) => {
        errors.push(error)
        response.end()
      })
    })
    await fetch(server.url)
    expect(errors).toEqual([new Error('boom')])
  })

  it.each([
    ['body', { body }],
    ['body of bytes', { body: Buffer.from(body) }],
    ['rawBody beside the parsed body', { rawBody: Buffer.from(body), body: JSON.parse(body) }],
    ['rawBody of text', { rawBody: body, body: JSON.parse(body) }],
  ])('takes the raw body that a framework left: %s', async (_, left) => {
    const { seen, handler } = receiver()
    await using server = await serve(async (request, response) => {
      for await (const _ of request);
      handler(Object.assign(request, left), response)
    })
    const headers = await signCallback(body, secret)
    expect((await fetch(server.url, { method: 'POST', headers, body })).status).toBe(204)
    expect(seen).toEqual(['é'])
  })

  it('says how to keep the body when a framework has parsed it away', async () => {
    const errors: unknown[] = []
    const onError = (error: unknown) => errors.push(error)
    const handler = toNodeHandler(callbackHandler(secret, () => {}, { onError }))
    await using server = await serve(async (request, response) => {
      for await (const _ of request);
      await handler(Object.assign(request, { body: JSON.parse(body) }), response)
    })
    const headers = await signCallback(body, secret)
    const response = await fetch(server.url, { method: 'POST', headers, body })
    const text = await response.text()
    expect([response.status, text]).toEqual([500, expect.stringContaining('before body parsers')])
    expect(errors).toEqual([new TypeError(text)])
  })

  it('reads no more than 64 KiB of a body, and still answers', async () => {
    const { seen, handler } = receiver()
    await using server = await serve(handler)
    const headers = await signCallback(body, secret)
    const socket = connect(server.port, '127.0.0.1')
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.write(['POST / HTTP/1.1', 'host: x', 'content-length: 99999999', ...lines, '', ''].join('\r\n'))
    const chunk = Buffer.alloc(16_384, 32)
    const feed = setInterval(() => socket.write(chunk), 2)
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(String(data))),
    )
    clearInterval(feed)
    socket.destroy()
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(seen).toEqual([])
  })
})
