import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { Hono } from 'hono'
import { Problem } from '../domain/errors.ts'
import { renderProblem } from './errors.ts'

export interface ListenOptions {
  app: Hono
  host: string
  port: number
  requestId(): string
}

export interface Listener {
  /** Where it listens; the port that was found when 0 was asked for. */
  url: string
  /** Takes no new connection, lets requests under way finish, and cuts off what is left after a while. */
  close(withinMs: number): Promise<void>
}

const HEADERS_MS = 10_000
const REQUEST_MS = 30_000
/** Longer than the usual load balancer's, so that it is never us who close a connection it is about to use. */
const KEEP_ALIVE_MS = 65_000

/** Serves an app on a socket. */
export async function listen({ app, host, port, requestId }: ListenOptions): Promise<Listener> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
    },
  }) as Server
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuse(error, socket, requestId()))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const address = server.address()
  const found = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${found}`,
    async close(withinMs) {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeIdleConnections()
      const cut = setTimeout(() => server.closeAllConnections(), withinMs)
      await closed
      clearTimeout(cut)
    },
  }
}

/** Answers what never became a request: one that took too long, or is not HTTP. */
async function refuse(error: NodeJS.ErrnoException, socket: Socket, requestId: string): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const response = renderProblem(problemFor(error), requestId)
  const body = await response.text()
  const head = [
    `HTTP/1.1 ${response.status} ${response.status === 408 ? 'Request Timeout' : 'Bad Request'}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function problemFor(error: NodeJS.ErrnoException): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem(
      'request_timeout',
      `Expected the headers within ${HEADERS_MS / 1_000} seconds and the whole request within ${REQUEST_MS / 1_000}.`,
    )
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') return new Problem('body_too_large', 'Expected headers of at most 16 KiB.')
  return new Problem('invalid_json', 'Expected an HTTP/1.1 request; this is none.')
}
