import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openOutbound, post, startRawReceiver, startReceiver } from './receiver.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const reply = { kind: 'reply', status: 200 }

describe('a kept connection', () => {
  it('carries one request after the other', async () => {
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound()
    for (let call = 0; call < 5; call += 1)
      expect(await outbound.request(post(receiver.url))).toMatchObject(reply)
    expect(receiver.sockets).toHaveLength(1)
  })

  it('that was closed at the instant of reuse costs one more try, on a new connection', async () => {
    const receiver = await startRawReceiver((socket) => closeOnSecond(socket))
    const outbound = openOutbound()
    expect(await outbound.request(post(receiver.url))).toMatchObject(reply)
    expect(await outbound.request(post(receiver.url))).toMatchObject(reply)
    expect(receiver.sockets).toHaveLength(2)
  })

  it('handed to a request that was waiting for it counts as reused too', async () => {
    const receiver = await startRawReceiver((socket) => closeOnSecond(socket))
    const outbound = openOutbound({ maxSocketsPerHost: 1 })
    const results = await Promise.all([
      outbound.request(post(receiver.url)),
      outbound.request(post(receiver.url)),
    ])
    expect(results).toMatchObject([reply, reply])
    expect(receiver.sockets).toHaveLength(2)
  })

  it('is tried again once, and only once', async () => {
    const receiver = await startRawReceiver((socket) => {
      if (receiver.sockets.length === 1) closeOnSecond(socket)
      else socket.once('data', () => socket.resetAndDestroy())
    })
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    const result = await outbound.request(post(receiver.url))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    expect(receiver.sockets).toHaveLength(2)
  })

  it('is not tried again once a reply has begun', async () => {
    const receiver = await startRawReceiver((socket) => {
      let requests = 0
      socket.on('data', () => {
        requests += 1
        if (requests === 1) socket.write(OK)
        else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal')
      })
    })
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    const result = await outbound.request(post(receiver.url))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    expect(receiver.sockets).toHaveLength(1)
  })

  it('and its second try share one deadline', async () => {
    const receiver = await startRawReceiver((socket) => {
      if (receiver.sockets.length > 1) return
      let requests = 0
      socket.on('data', () => {
        requests += 1
        if (requests === 1) socket.write(OK)
        else setTimeout(() => socket.resetAndDestroy(), 150)
      })
    })
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    const result = await outbound.request(post(receiver.url, { timeoutMs: 300 }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'timeout' })
    expect(result.latencyMs).toBeLessThan(420)
  })

  it('is not used again when the receiver said close', async () => {
    const receiver = await startReceiver((_request, answer) =>
      answer.setHeader('connection', 'close').end('ok'),
    )
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    await outbound.request(post(receiver.url))
    expect(receiver.sockets).toHaveLength(2)
  })
})

describe('the number of connections', () => {
  it('to one host never passes its limit, and every request gets its turn', async () => {
    const gauge = { now: 0, most: 0 }
    const receiver = await startReceiver((_request, answer) => {
      gauge.now += 1
      gauge.most = Math.max(gauge.most, gauge.now)
      setTimeout(() => {
        gauge.now -= 1
        answer.end('ok')
      }, 5)
    })
    const outbound = openOutbound({ maxSocketsPerHost: 4 })
    const results = await Promise.all(Array.from({ length: 40 }, () => outbound.request(post(receiver.url))))
    expect(results.every((result) => result.kind === 'reply')).toBe(true)
    expect(gauge.most).toBe(4)
    expect(receiver.sockets).toHaveLength(4)
  })

  it('held by one slow host leaves the other hosts alone', async () => {
    const slow = await startReceiver(() => undefined)
    const quick = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound({ maxSocketsPerHost: 2, maxSockets: 3, lookup: async () => ['127.0.0.1'] })
    const stuck = Array.from({ length: 10 }, () =>
      outbound.request(post(`http://slow.test:${slow.port}/`, { timeoutMs: 400 })),
    )
    const result = await outbound.request(post(`http://quick.test:${quick.port}/`, { timeoutMs: 300 }))
    expect(result).toMatchObject(reply)
    const stages = (await Promise.all(stuck)).map((failed) => failed.kind === 'failure' && failed.stage)
    expect(stages.filter((stage) => stage === 'during')).toHaveLength(2)
    expect(stages.filter((stage) => stage === 'before')).toHaveLength(8)
  })

  it('in all makes room by closing an idle one', async () => {
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound({ maxSockets: 2, lookup: async () => ['127.0.0.1'] })
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(await outbound.request(post(`http://${name}.test:${receiver.port}/`))).toMatchObject(reply)
    }
    await expect.poll(() => receiver.sockets.filter((socket) => !socket.destroyed).length).toBe(2)
  })

  it('is not used up by failures of any kind', async () => {
    let misbehave: ((socket: Socket) => void) | undefined
    const receiver = await startRawReceiver((socket) =>
      socket.on('data', () => (misbehave === undefined ? socket.write(OK) : misbehave(socket))),
    )
    const outbound = openOutbound({ maxSocketsPerHost: 1, maxSockets: 1 })
    const badly: ((socket: Socket) => void)[] = [
      (socket) => socket.resetAndDestroy(),
      (socket) => socket.end('garbage\r\n\r\n'),
      (socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5_000)}`),
      () => undefined,
    ]
    for (misbehave of badly) await outbound.request(post(receiver.url, { timeoutMs: 50 }))
    misbehave = undefined
    await outbound.request(post('http://127.0.0.1:1/'))
    await outbound.request(post(receiver.url, { headers: { bad: 'line\nbreak' } }))
    expect(await outbound.request(post(receiver.url, { timeoutMs: 500 }))).toMatchObject(reply)
  })
})

describe('closing', () => {
  it('ends what is running, what is waiting and what comes later, each with a result', async () => {
    const receiver = await startReceiver(() => undefined)
    const outbound = openOutbound({ maxSocketsPerHost: 1 })
    const running = outbound.request(post(receiver.url))
    const waiting = outbound.request(post(receiver.url))
    await expect.poll(() => receiver.received().length).toBeGreaterThan(0)
    outbound.close()
    expect(await running).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    expect(await waiting).toMatchObject({ kind: 'failure', stage: 'before', failure: 'connect_failed' })
    expect(await outbound.request(post(receiver.url))).toMatchObject({
      stage: 'before',
      failure: 'connect_failed',
    })
    await expect.poll(() => receiver.sockets.every((socket) => socket.destroyed)).toBe(true)
    expect(receiver.sockets).toHaveLength(1)
  })
})

/** Answers the first request and drops the connection at the second, as a receiver that just timed it out. */
function closeOnSecond(socket: Socket): void {
  let requests = 0
  socket.on('data', () => {
    requests += 1
    if (requests === 1) socket.write(OK)
    else socket.resetAndDestroy()
  })
}
