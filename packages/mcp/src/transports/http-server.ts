import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Identity, OnFault } from '../tools/index.ts'
import { type AllowedHosts, refusal } from './http-checks.ts'
import { serveCaller } from './http-handler.ts'
import { type HttpReply, type HttpRequest, LARGEST_BODY, problem, takeMessage } from './http-message.ts'

/** Where to listen. */
export interface Place {
  host: string
  port: number
}

export interface ServeHttpOptions extends AllowedHosts {
  place: Place
  /** Returns who is calling, or the answer to send instead, such as a 401. */
  identify(request: HttpRequest): Promise<Identity | HttpReply>
  /** Answers requests for other paths; undefined when there is nothing at the path. */
  beside?(path: string, request: HttpRequest): HttpReply | undefined
  onFault: OnFault
  /** Receives a line about a request that failed. */
  log(line: string): void
}

export interface HttpServer {
  /** Where it listens, with the actual port. */
  url: string
  /** Accepts no more requests, and resolves when the running ones are answered. */
  stop(): Promise<void>
}

/**
 * Serves `/mcp`. Resolves when it listens. It uses `node:http` directly: converting each request to a web `Request` would
 * double the time of a call.
 */
export async function serveHttp(options: ServeHttpOptions): Promise<HttpServer> {
  const { place, identify, beside, onFault, log } = options

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
