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

  it('that was closed at the instant of reuse ends a request that may be sent only once', async () => {
    const receiver = await startRawReceiver((socket) => closeOnSecond(socket))
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    const result = await outbound.request(post(receiver.url, { once: true }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    expect(receiver.received().match(/POST/g)).toHaveLength(2)
  })

  it('is replaced by a new one, not by another kept one that may be as stale', async () => {
    const receiver = await startRawReceiver((socket) => closeOnSecond(socket))
    const outbound = openOutbound()
    await Promise.all([outbound.request(post(receiver.url)), outbound.request(post(receiver.url))])
    expect(await outbound.request(post(receiver.url))).toMatchObject(reply)
    expect(receiver.received().match(/POST/g)).toHaveLength(4)
    expect(receiver.sockets).toHaveLength(3)
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
        else setTimeout(() => socket.resetAndDestroy(), 600)
      })
    })
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    const result = await outbound.request(post(receiver.url, { timeoutMs: 1_000 }))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'timeout' })
    expect(result.latencyMs).toBeLessThan(1_500)
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
  it.each([
    ['to one host', { maxSocketsPerHost: 4 }, () => 'one'],
    ['in all', { maxSockets: 4 }, (call: number) => `host${call % 10}`],
  ])('%s never passes its limit, and every request gets its turn', async (_where, limit, nameOf) => {
    const gauge = { now: 0, most: 0 }
    const receiver = await startReceiver((_request, answer) => {
      gauge.now += 1
      gauge.most = Math.max(gauge.most, gauge.now)
      setTimeout(() => {
        gauge.now -= 1
        answer.end('ok')
      }, 5)
    })
    const outbound = openOutbound({ ...limit, lookup: async () => ['127.0.0.1'] })
    const calls = Array.from({ length: 40 }, (_, call) =>
      outbound.request(post(`http://${nameOf(call)}.test:${receiver.port}/`)),
    )
    expect((await Promise.all(calls)).every((result) => result.kind === 'reply')).toBe(true)
    expect(gauge.most).toBe(4)
  })

  it('to one host is no more than its requests need', async () => {
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound({ maxSocketsPerHost: 4 })
    await Promise.all(Array.from({ length: 40 }, () => outbound.request(post(receiver.url))))
    expect(receiver.sockets).toHaveLength(4)
  })

  it('held by one slow host leaves the other hosts alone', async () => {
    const slow = await startReceiver(() => undefined)
    const quick = await startReceiver((_request, answer) => setTimeout(() => answer.end('ok'), 50))
    const outbound = openOutbound({ maxSocketsPerHost: 2, maxSockets: 3, lookup: async () => ['127.0.0.1'] })
    // The last eight wait for the first two, who outlast them.
    const stuck = Array.from({ length: 10 }, (_, index) =>
      outbound.request(post(`http://slow.test:${slow.port}/`, { timeoutMs: index < 2 ? 900 : 400 })),
    )
    // The first takes the last connection; the second waits for it, behind eight that wait for the slow host.
    const url = `http://quick.test:${quick.port}/`
    const passing = [1, 2].map(() => outbound.request(post(url, { timeoutMs: 350 })))
    expect(await Promise.all(passing)).toMatchObject([reply, reply])
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

  it('in all counts the open ones only, so a kept one stays while others come and go', async () => {
    const keeping = await startReceiver((_request, answer) => answer.end('ok'))
    const closing = await startReceiver((_request, answer) =>
      answer.setHeader('connection', 'close').end('ok'),
    )
    const outbound = openOutbound({ maxSockets: 2 })
    for (let call = 0; call < 5; call += 1) {
      expect(await outbound.request(post(keeping.url))).toMatchObject(reply)
      expect(await outbound.request(post(closing.url))).toMatchObject(reply)
    }
    expect(keeping.sockets).toHaveLength(1)
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

describe('a finished request', () => {
  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound({ maxSocketsPerHost: 2 })
    const before = timers()
    const results = Array.from({ length: 20 }, () =>
      outbound.request(post(receiver.url, { timeoutMs: 60_000 })),
    )
    await Promise.all(results)
    expect(timers()).toBeLessThan(before + 10)
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

  it('is not mistaken for a kept connection that went stale', async () => {
    let requests = 0
    const receiver = await startReceiver((_request, answer) => {
      requests += 1
      if (requests === 1) answer.end('ok')
    })
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    const running = outbound.request(post(receiver.url))
    await expect.poll(() => requests).toBe(2)
    outbound.close()
    expect(await running).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(receiver.sockets).toHaveLength(1)
  })

  it('at the moment of a request opens no connection any more', async () => {
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound()
    const result = outbound.request(post(receiver.url))
    outbound.close()
    expect(await result).toMatchObject({ stage: 'before', failure: 'connect_failed' })
    expect(receiver.sockets).toHaveLength(0)
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
