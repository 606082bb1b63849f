import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SystemLookup } from '../../../src/net/outbound/checked-lookup.ts'
import { freePort } from '../../support/free-port.ts'
import { openOutbound, post, startRawReceiver, startReceiver } from './receiver.ts'

const text = (body: Uint8Array): string => Buffer.from(body).toString()

describe('a request', () => {
  it('arrives as it was given, its length announced and nothing chunked', async () => {
    const receiver = await startReceiver((request, reply) => {
      request.resume().on('end', () => reply.writeHead(201, { 'X-Answer': 'yes' }).end('thanks'))
    })
    const outbound = openOutbound()
    const result = await outbound.request(
      post(`${receiver.url}hook?a=1#part`, { headers: { 'webhook-id': 'm1' } }),
    )
    expect(result).toMatchObject({ kind: 'reply', status: 201, truncated: false })
    if (result.kind !== 'reply') return
    expect(text(result.body)).toBe('thanks')
    expect(result.headers['x-answer']).toBe('yes')
    expect(result.latencyMs).toBeGreaterThan(0)
    const [head = '', body] = receiver.received().split('\r\n\r\n')
    expect(head).toMatch(/^POST \/hook\?a=1 HTTP\/1\.1\r\n/)
    expect(head).toMatch(/\r\nwebhook-id: m1\r\n/)
    expect(head).toMatch(/\r\ncontent-length: 20$/im)
    expect(head).not.toMatch(/transfer-encoding/i)
    expect(body).toBe('{"Status":"success"}')
  })

  it('announces a length of 0 for a POST without a body, and none for a GET', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end())
    const outbound = openOutbound()
    const { body: _none, ...empty } = post(receiver.url)
    await outbound.request(empty)
    await outbound.request({ ...empty, method: 'GET' })
    const [first = '', second = ''] = receiver.received().split('\r\n\r\n')
    expect(first).toMatch(/content-length: 0/i)
    expect(second).toMatch(/^GET /)
    expect(second).not.toMatch(/content-length|transfer-encoding/i)
  })

  it('cannot be given a header that contradicts the connection', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end())
    const headers = {
      Host: 'inside.test',
      'content-length': '3',
      'Transfer-Encoding': 'chunked',
      Connection: 'x',
    }
    const result = await openOutbound().request(post(receiver.url, { headers }))
    expect(result).toMatchObject({ kind: 'reply', status: 200 })
    expect(receiver.received()).toContain(`host: 127.0.0.1:${receiver.port}\r\n`)
    expect(receiver.received()).not.toMatch(/inside\.test|content-length: 3|chunked|connection: x/i)
  })

  it('cannot smuggle a second header in a line break', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end())
    const headers = { 'webhook-id': 'a\r\nX-Evil: 1' }
    const result = await openOutbound().request(post(receiver.url, { headers }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'before' })
    expect(receiver.sockets).toHaveLength(0)
  })

  it('takes no notice of a proxy in the environment', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end('direct'))
    const proxy = await startReceiver((_request, reply) => reply.end('proxied'))
    const names = ['http_proxy', 'HTTP_PROXY', 'NODE_USE_ENV_PROXY'] as const
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.url
    onTestFinished(() => {
      for (const name of names) delete process.env[name]
    })
    const result = await openOutbound().request(post(receiver.url))
    expect(result.kind === 'reply' && text(result.body)).toBe('direct')
    expect(proxy.sockets).toHaveLength(0)
  })
})

describe('a reply', () => {
  it.each([301, 302, 303, 307, 308])('that redirects with %i is a reply like any other', async (status) => {
    const inside = await startReceiver((_request, reply) => reply.end('secret'))
    const receiver = await startReceiver((_request, reply) =>
      reply.writeHead(status, { location: inside.url }).end(),
    )
    const result = await openOutbound().request(post(receiver.url))
    expect(result).toMatchObject({ kind: 'reply', status, headers: { location: inside.url } })
    expect(inside.sockets).toHaveLength(0)
  })

  it('of exactly the limit is whole', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end('x'.repeat(1_024)))
    const result = await openOutbound().request(post(receiver.url))
    expect(result).toMatchObject({ kind: 'reply', truncated: false })
    expect(result.kind === 'reply' && result.body.byteLength).toBe(1_024)
  })

  it('past the limit is cut and the connection dropped', async () => {
    let aborted = false
    const receiver = await startReceiver((_request, reply) => {
      const writing = setInterval(() => reply.write('x'.repeat(700)), 5)
      reply.on('close', () => {
        clearInterval(writing)
        aborted = true
      })
    })
    const result = await openOutbound().request(post(receiver.url))
    expect(result).toMatchObject({ kind: 'reply', status: 200, truncated: true })
    expect(result.kind === 'reply' && result.body.byteLength).toBe(1_024)
    await expect.poll(() => aborted).toBe(true)
  })

  it('that only drips ends at the deadline', async () => {
    const { request, receiver } = await openConnected((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 90000\r\n\r\n')
      const dripping = setInterval(() => socket.write('.'), 10)
      socket.on('close', () => clearInterval(dripping))
    })
    const result = await request(post(receiver.url, { timeoutMs: 200 }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'timeout' })
    expect(result.latencyMs).toBeGreaterThan(190)
  })

  it('whose headers only drip ends at the deadline', async () => {
    const { request, receiver } = await openConnected((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const dripping = setInterval(() => socket.write('x: y\r\n'), 10)
      socket.on('close', () => clearInterval(dripping))
    })
    const result = await request(post(receiver.url, { timeoutMs: 200 }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'timeout' })
  })

  it('that never comes ends at the deadline', async () => {
    const { request, receiver } = await openConnected(() => undefined)
    const result = await request(post(receiver.url, { timeoutMs: 100 }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'timeout' })
    await expect.poll(() => receiver.sockets[0]?.destroyed).toBe(true)
  })

  it('with endless headers is given up', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`)
    })
    const result = await openOutbound().request(post(receiver.url))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
  })

  it.each([
    ['a reset before the headers', (socket) => socket.resetAndDestroy()],
    ['a close before the headers', (socket) => socket.destroy()],
    ['half of the headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nx:')],
    [
      'a reset after the headers',
      (socket) => resetAfter(socket, 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal'),
    ],
    [
      'a close before the body is complete',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n'),
    ],
    ['garbage', (socket) => socket.end('220 mail.test ESMTP\r\n')],
    [
      'an upgrade',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    ],
  ] satisfies [string, (socket: Socket) => void][])(
    'that is %s is a connection lost on the way',
    async (_name, misbehave) => {
      const receiver = await startRawReceiver((socket) => socket.once('data', () => misbehave(socket)))
      const result = await openOutbound().request(post(receiver.url))
      expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
      expect(receiver.sockets).toHaveLength(1)
    },
  )

  it('sent ahead of a body the receiver never reads does not hold the connection', async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')
    })
    const outbound = openOutbound({ maxSockets: 1 })
    const body = new Uint8Array(32 * 1_024 * 1_024)
    for (let call = 0; call < 2; call += 1) {
      expect(await outbound.request(post(receiver.url, { body }))).toMatchObject({
        kind: 'reply',
        status: 413,
      })
    }
  })
})

describe('a failure before anything was sent', () => {
  it.each(['http', 'https'])('is connect_failed when nobody listens to %s', async (protocol) => {
    const result = await openOutbound().request(post(`${protocol}://127.0.0.1:${await freePort()}/`))
    expect(result).toMatchObject({ kind: 'failure', stage: 'before', failure: 'connect_failed' })
  })

  it('is dns_failed when the name is unknown, or has no addresses', async () => {
    const unknown = openOutbound({ lookup: () => Promise.reject(new Error('no such name')) })
    const empty = openOutbound({ lookup: async () => [] })
    const expected = { kind: 'failure', stage: 'before', failure: 'dns_failed' }
    expect(await unknown.request(post('http://unknown.test/'))).toMatchObject(expected)
    expect(await empty.request(post('http://empty.test/'))).toMatchObject(expected)
  })

  it('is a timeout when the look-up takes longer than the deadline', async () => {
    const outbound = openOutbound({ lookup: () => new Promise(() => undefined) })
    const result = await outbound.request(post('http://slow.test/', { timeoutMs: 100 }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'before', failure: 'timeout' })
  })

  it('reports the latency of the clock it was given', async () => {
    const readings = [100, 142.5]
    const outbound = openOutbound({ now: () => readings.shift() ?? 0 })
    expect(await outbound.request(post('not a URL'))).toMatchObject({ latencyMs: 42.5 })
  })
})

describe('the system look-up', () => {
  it('resolves localhost', async () => {
    const addresses = await new SystemLookup().resolve('localhost')
    expect(addresses.length).toBeGreaterThan(0)
    expect(addresses.every((address) => address === '::1' || address.startsWith('127.'))).toBe(true)
  })

  it('asks once for many at the same time, and again afterwards', async () => {
    const lookup = new SystemLookup().resolve
    const [first, second] = [lookup('localhost'), lookup('localhost')]
    expect(second).toBe(first)
    await first
    expect(lookup('localhost')).not.toBe(first)
  })
})

/**
 * A kept connection, on which the next request leaves at once: on a slow machine its time could be over before a new one
 * is open. The receiver does with it as told.
 */
async function openConnected(onSecond: (socket: Socket) => void) {
  const receiver = await startRawReceiver((socket) => {
    socket.once('data', () => {
      socket.once('data', () => onSecond(socket))
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    })
  })
  const { request } = openOutbound()
  expect(await request(post(receiver.url))).toMatchObject({ kind: 'reply', status: 200 })
  return { request, receiver }
}

function resetAfter(socket: Socket, reply: string): void {
  socket.write(reply)
  setTimeout(() => socket.resetAndDestroy(), 30)
}
