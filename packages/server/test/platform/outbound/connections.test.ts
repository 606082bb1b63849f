import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { OutboundClient } from '../../../src/net/outbound/outbound.ts'
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
    const outbound = openOutbound({ maxSockets: 1 })
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

  it('is not tried again for a reply that cannot be read', async () => {
    const receiver = await startRawReceiver((socket) => {
      let requests = 0
      socket.on('data', () => {
        requests += 1
        if (requests === 1) socket.write(OK)
        else socket.end('220 mail.test ESMTP\r\n')
      })
    })
    const outbound = openOutbound()
    await outbound.request(post(receiver.url))
    const result = await outbound.request(post(receiver.url))
    expect(result).toMatchObject({ kind: 'failure', stage: 'during', failure: 'connection_lost' })
    expect(receiver.received().match(/POST/g)).toHaveLength(2)
  })

  it('and its second try share one deadline', async () => {
    let time = 0
    const receiver = await startRawReceiver((socket) => {
      if (receiver.sockets.length > 1) return
      let requests = 0
      socket.on('data', () => {
        requests += 1
        if (requests === 1) return socket.write(OK)
        time += 60_000
        socket.resetAndDestroy()
      })
    })
    const outbound = openOutbound({ now: () => time })
    await outbound.request(post(receiver.url))
    const result = await outbound.request(post(receiver.url, { timeoutMs: 60_000 }))
    expect(result).toMatchObject({ kind: 'failure', failure: 'timeout', latencyMs: 60_000 })
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
  it('never passes its limit, and every request gets its turn', async () => {
    const gauge = { now: 0, most: 0 }
    const receiver = await startReceiver((_request, answer) => {
      gauge.now += 1
      gauge.most = Math.max(gauge.most, gauge.now)
      setTimeout(() => {
        gauge.now -= 1
        answer.end('ok')
      }, 5)
    })
    const outbound = openOutbound({ maxSockets: 4, lookup: async () => ['127.0.0.1'] })
    for (let round = 0; round < 2; round += 1) {
      const calls = Array.from({ length: 40 }, (_, call) =>
        outbound.request(post(`http://host${call % 10}.test:${receiver.port}/`)),
      )
      expect((await Promise.all(calls)).every((result) => result.kind === 'reply')).toBe(true)
    }
    expect(gauge.most).toBe(4)
  })

  it('to one host is no more than its requests need', async () => {
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound({ maxSockets: 4 })
    await Promise.all(Array.from({ length: 40 }, () => outbound.request(post(receiver.url))))
    expect(receiver.sockets).toHaveLength(4)
  })

  it('makes room by closing an idle one', async () => {
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound({ maxSockets: 2, lookup: async () => ['127.0.0.1'] })
    for (const name of ['a', 'b', 'c', 'd']) {
      expect(await outbound.request(post(`http://${name}.test:${receiver.port}/`))).toMatchObject(reply)
    }
    await expect.poll(() => receiver.sockets.filter((socket) => !socket.destroyed).length).toBe(2)
  })

  it('counts the open ones only, so a kept one stays while others come and go', async () => {
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
    const outbound = openOutbound({ maxSockets: 1 })
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
    expect(await outbound.request(post(receiver.url))).toMatchObject(reply)
  })
})

describe('a request that waits for a connection', () => {
  /** The only connection is in use until its request is answered. */
  async function openBusy(options: Partial<ConstructorParameters<typeof OutboundClient>[0]> = {}) {
    const held: ServerResponse[] = []
    const receiver = await startReceiver((_request, answer) => void held.push(answer))
    const outbound = openOutbound({ maxSockets: 1, ...options })
    const first = outbound.request(post(receiver.url))
    await expect.poll(() => held.length).toBe(1)
    return { receiver, outbound, first, held }
  }

  it('begins its time when it gets one, however long the others took', async () => {
    let at = 0
    const { receiver, outbound, first, held } = await openBusy({ now: () => at })
    const second = outbound.request(post(receiver.url))
    at = 60_000
    held[0]?.end('ok')
    expect(await first).toMatchObject({ ...reply, latencyMs: 60_000 })
    await expect.poll(() => held.length).toBe(2)
    held[1]?.end('ok')
    expect(await second).toMatchObject({ ...reply, latencyMs: 0 })
  })

  it('was certainly not sent when it got none in time, and takes none from those after it', async () => {
    const { receiver, outbound, first, held } = await openBusy({ waitMs: 10 })
    const late = await outbound.request(post(receiver.url))
    expect(late).toMatchObject({ kind: 'failure', stage: 'before', failure: 'timeout' })
    expect(receiver.received().match(/POST/g)).toHaveLength(1)
    held[0]?.end('ok')
    expect(await first).toMatchObject(reply)
    const next = outbound.request(post(receiver.url))
    await expect.poll(() => held.length).toBe(2)
    held[1]?.end('ok')
    expect(await next).toMatchObject(reply)
  })
})

describe('a finished request', () => {
  it('leaves no timer behind', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const receiver = await startReceiver((_request, answer) => answer.end('ok'))
    const outbound = openOutbound({ maxSockets: 2 })
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
    const outbound = openOutbound({ maxSockets: 1 })
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
    await expect.poll(() => receiver.sockets.map(({ destroyed }) => destroyed)).toEqual([true])
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
