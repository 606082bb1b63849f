import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { AddressGuard } from '../../../src/net/outbound/address-guard.ts'
import { OutboundClient } from '../../../src/net/outbound/outbound.ts'
import type { OutboundRequest } from '../../../src/net/outbound/port.ts'

export interface Receiver {
  url: string
  port: number
  sockets: Socket[]
  /** Bytes received from all connections. */
  received(): string
}

/** A real HTTP server on loopback. */
export function startReceiver(handler: RequestListener): Promise<Receiver> {
  return listen(createServer({ keepAliveTimeout: 60_000 }, handler))
}

/** A server that gets each connection raw, to misbehave in ways that an HTTP server will not. */
export function startRawReceiver(onConnection: (socket: Socket) => void): Promise<Receiver> {
  return listen(createTcpServer(onConnection))
}

export async function listen(server: Server, protocol = 'http'): Promise<Receiver> {
  const sockets: Socket[] = []
  const chunks: Buffer[] = []
  server.prependListener('connection', (socket: Socket) => sockets.push(socket))
  // Behind the server's own listener: an HTTP server hides the bytes from listeners that came before it.
  server.on('connection', (socket: Socket) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('expected a TCP port')
  return {
    url: `${protocol}://127.0.0.1:${bound.port}/`,
    port: bound.port,
    sockets,
    received: () => Buffer.concat(chunks).toString('latin1'),
  }
}

const sandboxGuard = new AddressGuard({ allowLoopback: true, allowedCidrs: [] })
export const productionGuard = new AddressGuard({ allowLoopback: false, allowedCidrs: [] })

/** An outbound client that may reach loopback unless told otherwise, closed after the test. */
export function openOutbound(
  options: Partial<ConstructorParameters<typeof OutboundClient>[0]> = {},
): OutboundClient {
  const outbound = new OutboundClient({ guard: sandboxGuard, ...options })
  onTestFinished(() => outbound.close())
  return outbound
}

export function post(url: string, changes: Partial<OutboundRequest> = {}): OutboundRequest {
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode('{"Status":"success"}'),
    timeoutMs: 60_000,
    maxReplyBytes: 1_024,
    ...changes,
  }
}
