import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { refusal } from './http-checks.ts'
import {
  type HttpReply,
  type HttpRequest,
  LARGEST_BODY,
  problem,
  type Serve,
  takeMessage,
} from './http-message.ts'
import type { Identity } from './identity.ts'
import { log } from './log.ts'
import { connect, type OnFault } from './protocol.ts'

export interface ServeHttpOptions {
  identity: Identity
  host: string
  port: number
  onFault: OnFault
}

const ALLOWED = { allowedHosts: ['localhost', '127.0.0.1', '[::1]'] }

/**
 * Serves `/mcp` on this machine, always as the same connection. Resolves when it listens. It stands on `node:http`
 * itself: making a web request of each would double what a call takes.
 */
export async function serveHttp({ identity, host, port, onFault }: ServeHttpOptions) {
  const serve: Serve = (transport) => connect(identity, transport, onFault)

  async function reply(incoming: IncomingMessage): Promise<HttpReply> {
    if (!/^\/mcp(\?|$)/.test(incoming.url ?? '')) return problem(404, 'Only /mcp is served here.')
    const request = fromNode(incoming)
    return refusal(request, ALLOWED) ?? takeMessage(request, serve)
  }

  const server = createServer((incoming, outgoing) => {
    reply(incoming).then(
      (answer) => write(outgoing, answer),
      (error) => {
        log(`a request failed: ${error instanceof Error ? error.message : error}`)
        write(outgoing, problem(500, 'Something went wrong in the connector.', {}, -32_603))
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  log(`serving ${urlOf(server.address())} to everybody on this machine`)
  return {
    /** Takes no more requests, and resolves when those under way are answered. */
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      await closed
    },
  }
}

function urlOf(address: ReturnType<ReturnType<typeof createServer>['address']>): string {
  if (typeof address !== 'object' || !address) return String(address)
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return `http://${host}:${address.port}/mcp`
}

function fromNode(incoming: IncomingMessage): HttpRequest {
  const { headers, method = 'GET' } = incoming
  return {
    method,
    host: headers.host ?? '',
    header(name) {
      const value = headers[name]
      return value === undefined ? null : [value].flat().join(', ')
    },
    body: () => read(incoming),
  }
}

function read(incoming: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  return new Promise((resolve, reject) => {
    incoming.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (length <= LARGEST_BODY) return
      incoming.removeAllListeners('data').pause()
      resolve(undefined)
    })
    incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    incoming.on('error', reject)
  })
}

function write(outgoing: ServerResponse, { status, headers, body }: HttpReply): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  outgoing.end(body)
}
