import { describe, expect, it } from 'vitest'
import { AddressGuard, type Guard } from '../../../src/net/outbound/address-guard.ts'
import { openOutbound, post, startReceiver } from './receiver.ts'

/** 127.0.0.1 plays the public internet and every other address, 127.0.0.2 among them, the inside. */
const guard = new AddressGuard({ allowLoopback: false, allowedCidrs: ['127.0.0.1/32'] })
const OUTSIDE = '127.0.0.1'
const INSIDE = '127.0.0.2'
const blocked = { kind: 'failure', stage: 'before', failure: 'blocked_address' }

describe('a host name that changes its mind', () => {
  it('is checked again for the next connection', async () => {
    const receiver = await startReceiver((_request, reply) =>
      reply.setHeader('connection', 'close').end('ok'),
    )
    const answers = [[OUTSIDE], [INSIDE]]
    const outbound = openOutbound({ guard, lookup: async () => answers.shift() ?? [] })
    const url = `http://rebind.test:${receiver.port}/`
    expect(await outbound.request(post(url))).toMatchObject({ kind: 'reply', status: 200 })
    expect(await outbound.request(post(url))).toMatchObject(blocked)
    expect(receiver.sockets).toHaveLength(1)
  })

  it.each([
    ['first', [INSIDE, OUTSIDE]],
    ['last', [OUTSIDE, INSIDE]],
    ['over IPv6', [OUTSIDE, '::1']],
    ['as no address at all', [OUTSIDE, 'localhost']],
  ])('is refused for one bad answer among good ones: %s', async (_where, answers) => {
    const receiver = await startReceiver((_request, reply) => reply.end('ok'))
    const outbound = openOutbound({ guard, lookup: async () => answers })
    expect(await outbound.request(post(`http://mixed.test:${receiver.port}/`))).toMatchObject(blocked)
    expect(receiver.sockets).toHaveLength(0)
  })

  it('is resolved once for a connection, so there is no second answer to switch to', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end('ok'))
    let asked = 0
    const outbound = openOutbound({
      guard,
      lookup: async () => {
        asked += 1
        return [asked === 1 ? OUTSIDE : INSIDE]
      },
    })
    const url = `http://once.test:${receiver.port}/`
    for (let call = 0; call < 3; call += 1) {
      expect(await outbound.request(post(url))).toMatchObject({ kind: 'reply' })
    }
    expect(asked).toBe(1)
  })

  it('does not tell what it resolves to', async () => {
    const outbound = openOutbound({ guard, lookup: async () => [INSIDE] })
    const result = await outbound.request(post('http://inside.test/'))
    expect(result).toMatchObject({ detail: 'the host resolves to a loopback address' })
  })
})

describe('a connection that ends up elsewhere than the look-up said', () => {
  // The system connects 0.0.0.0 to loopback: an address passes the check and another one answers.
  const sly = new AddressGuard({ allowLoopback: false, allowedCidrs: ['0.0.0.0/32'] })

  it.each(['http', 'https'])('is dropped before a byte is written over %s', async (protocol) => {
    const receiver = await startReceiver((_request, reply) => reply.end('ok'))
    const outbound = openOutbound({ guard: sly, lookup: async () => ['0.0.0.0'] })
    const result = await outbound.request(post(`${protocol}://elsewhere.test:${receiver.port}/`))
    expect(result).toMatchObject({ ...blocked, detail: 'the connected address is a loopback address' })
    await expect.poll(() => receiver.sockets.map(({ destroyed }) => destroyed)).toEqual([true])
    expect(receiver.received()).toBe('')
  })

  it('is dropped for a literal as well', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end('ok'))
    const outbound = openOutbound({ guard: sly })
    const result = await outbound.request(post(`http://0.0.0.0:${receiver.port}/`))
    expect(result).toMatchObject({ ...blocked, detail: 'the connected address is a loopback address' })
    expect(receiver.received()).toBe('')
  })

  it('is checked for each request on a kept connection', async () => {
    const receiver = await startReceiver((_request, reply) => reply.end('ok'))
    let open = true
    const closing: Guard = { check: () => (open ? undefined : 'a withdrawn address') }
    const outbound = openOutbound({ guard: closing, lookup: async () => [OUTSIDE] })
    const url = `http://kept.test:${receiver.port}/`
    expect(await outbound.request(post(url))).toMatchObject({ kind: 'reply' })
    const before = receiver.received()
    open = false
    expect(await outbound.request(post(url))).toMatchObject({
      ...blocked,
      detail: 'the connected address is a withdrawn address',
    })
    await expect.poll(() => receiver.sockets.map(({ destroyed }) => destroyed)).toEqual([true])
    expect(receiver.received()).toBe(before)
  })
})
