import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Place } from './command-line.ts'
import { type AllowedHosts, refusal } from './http-checks.ts'
import { type HttpReply, type HttpRequest, LARGEST_BODY, problem, takeMessage } from './http-message.ts'
import type { Identity } from './identity.ts'
import { log } from './log.ts'
import type { OnFault } from './protocol.ts'
import { serveCaller } from './serve-caller.ts'

export interface ServeHttpOptions extends AllowedHosts {
  place: Place
  /** Says who calls, or answers in place of the tools, as with a 401. */
  identify(request: HttpRequest): Promise<Identity | HttpReply>
  /** Answers what is not for the tools; undefined when there is nothing at the path. */
  beside?(path: string, request: HttpRequest): HttpReply | undefined
  onFault: OnFault
}

export interface HttpServer {
  /** Where it listens, with the port that it got. */
  url: string
  /** Takes no more requests, and resolves when those under way are answered. */
  stop(): Promise<void>
}

/** The names under which a server that listens on this machine may be called. */
export const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/**
 * Serves `/mcp`. Resolves when it listens. It stands on `node:http` itself: making a web request of each would double
 * what a call takes.
 */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpServer> {
  const { place, identify, beside, onFault } = options

  async function reply(incoming: IncomingMessage): Promise<HttpReply> {
    const [path = ''] = (incoming.url ?? '').split('?')
    const request = fromNode(incoming)
    if (path !== '/mcp') return beside?.(path, request) ?? problem(404, 'Only /mcp is served here.')
    const refused = refusal(request, options)
    if (refused) return refused
    const identity = await identify(request)
    if ('status' in identity) return identity
    return takeMessage(request, serveCaller(identity, onFault))
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
    server.listen(place.port, place.host, resolve)
  })
  return {
    url: urlOf(server.address()),
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
