import { createServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listen, openOutbound, post, type Receiver, startRawReceiver } from './receiver.ts'
import { createSelfSigned } from './self-signed.ts'

const certificate = createSelfSigned()
const toLoopback = async () => ['127.0.0.1']
const tlsFailed = { kind: 'failure', stage: 'before', failure: 'tls_failed' }

describe('over TLS', () => {
  it('a trusted receiver gets its callbacks, on one kept connection', async () => {
    trust(certificate.cert)
    const receiver = await startSecure()
    const outbound = openOutbound({ lookup: toLoopback })
    for (let call = 0; call < 3; call += 1) {
      const result = await outbound.request(post(`https://localhost:${receiver.port}/`))
      expect(result).toMatchObject({ kind: 'reply', status: 200 })
    }
    expect(receiver.sockets).toHaveLength(1)
  })

  it('a certificate nobody vouches for fails before the request is sent', async () => {
    let requests = 0
    const receiver = await startSecure(() => {
      requests += 1
    })
    const outbound = openOutbound({ lookup: toLoopback })
    expect(await outbound.request(post(`https://localhost:${receiver.port}/`))).toMatchObject(tlsFailed)
    expect(requests).toBe(0)
  })

  it('verification cannot be switched off by the environment', async () => {
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    onTestFinished(() => {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    })
    const receiver = await startSecure()
    const outbound = openOutbound({ lookup: toLoopback })
    expect(await outbound.request(post(`https://localhost:${receiver.port}/`))).toMatchObject(tlsFailed)
  })

  it('a certificate for another name fails before the request is sent', async () => {
    trust(certificate.cert)
    const receiver = await startSecure()
    const outbound = openOutbound({ lookup: toLoopback })
    expect(await outbound.request(post(`https://other.test:${receiver.port}/`))).toMatchObject(tlsFailed)
  })

  it('a receiver that speaks no TLS, or hangs up on it, is tls_failed', async () => {
    const plain = await startRawReceiver((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 400 No\r\n\r\n')),
    )
    const rude = await startRawReceiver((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const outbound = openOutbound()
    expect(await outbound.request(post(`https://127.0.0.1:${plain.port}/`))).toMatchObject(tlsFailed)
    expect(await outbound.request(post(`https://127.0.0.1:${rude.port}/`))).toMatchObject(tlsFailed)
  })

  it('a handshake that never ends is a timeout before anything was sent', async () => {
    const receiver = await startRawReceiver(() => undefined)
    const result = await openOutbound().request(
      post(`https://127.0.0.1:${receiver.port}/`, { timeoutMs: 100 }),
    )
    expect(result).toMatchObject({ kind: 'failure', stage: 'before', failure: 'timeout' })
  })
})

function startSecure(onRequest: () => void = () => undefined): Promise<Receiver> {
  const server = createServer(certificate, (_request, reply) => {
    onRequest()
    reply.end('ok')
  })
  return listen(server, 'https')
}

function trust(cert: string): void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, cert])
  onTestFinished(() => setDefaultCACertificates(before))
}
