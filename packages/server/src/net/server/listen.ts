import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import { Problem } from '../../kernel/errors.ts'
import { targetRefusal } from './fields.ts'
import { renderProblem } from './problems.ts'

/** An app, and where it is served. */
export interface Serving {
  app: { fetch: Hono['fetch'] }
  host: string
  port: number
  requestId(): string
  timeouts?: Timeouts
  /** How many bytes a second are read of bodies whose requests were answered; 16 MB when left out. */
  discardedPerSecond?: number | undefined
}

/** How long a request may take to arrive, and how long the client may read nothing of an answer. */
export interface Timeouts {
  headersMs: number
  requestMs: number
  unreadMs: number
  /** How often it is looked whether a request takes too long; once a second when left out. */
  lookMs?: number
  /** How long the rest of a body may take that comes after the answer. */
  lingerMs: number
}

export interface Listener {
  /** The address it listens on, with the actual port when 0 was requested. */
  url: string
  /** Accepts no new connections, lets requests in progress finish, and cuts them off after `withinMs`. */
  close(withinMs: number): Promise<void>
}

const TIMEOUTS: Timeouts = { headersMs: 10_000, requestMs: 30_000, unreadMs: 30_000, lingerMs: 500 }
const LOOK_MS = 1_000
/** Longer than a load balancer's usual idle timeout, so that we never close a socket it is about to use. */
const KEEP_ALIVE_MS = 65_000
/**
 * More than clients have under way on one connection. Each costs memory until its answer is read, and a client that
 * never reads could send a thousand in one packet.
 */
const MOST_UNANSWERED = 32

type FetchCallback = Parameters<typeof getRequestListener>[0]

/** Serves an app over HTTP. */
export async function listen(options: Serving): Promise<Listener> {
  const { app, host, port, requestId, timeouts = TIMEOUTS } = options
  const handle = getRequestListener(fetchWithin(app.fetch, requestId), {
    errorHandler: () => renderProblem(notHttp(), requestId()),
    autoCleanupIncoming: false,
  })
  const bodies = new UnreadBodies(timeouts.lingerMs, options.discardedPerSecond)
  const answer = endingUnread((request, response) => {
    bodies.guard(request, response)
    return handle(request, response)
  }, timeouts.unreadMs)
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: timeouts.lookMs ?? LOOK_MS,
      // Node would reject a request without Host with an empty body; we answer with a problem.
      requireHostHeader: false,
    },
    answer,
  )
  // Likewise for an unknown Expect header: handle the request instead of letting Node reject it.
  server.on('checkExpectation', answer)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuse(problemFor(error, timeouts), error, socket, requestId()),
  )
  /** Over which nothing was asked yet: browsers and pools open some in advance, and Node counts them as busy. */
  const unused = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    unused.add(socket)
    socket.once('close', () => unused.delete(socket))
  })
  server.on('request', ({ socket }) => unused.delete(socket))
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
      // Otherwise a client would reuse its keep-alive socket after the current request.
      server.prependListener('request', (_, response) => response.setHeader('connection', 'close'))
      server.closeIdleConnections()
      const sweep = setInterval(() => {
        server.closeIdleConnections()
        for (const socket of unused) if (socket.bytesRead === 0) socket.destroy()
      }, 50)
      const cut = setTimeout(() => server.closeAllConnections(), withinMs)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
    },
  }
}

/** Refuses the paths and queries that would take long to parse. */
function fetchWithin(fetch: Hono['fetch'], requestId: () => string): FetchCallback {
  return function fetchTarget(request, bindings) {
    const refusal = targetRefusal(bindings.incoming.url ?? '')
    return refusal ? renderProblem(refusal, requestId()) : fetch(request, bindings)
  }
}

/**
 * Ends the connection of a client that does not read its answers, or asks for too many before it does. The requests of
 * one connection are handled one after the other, as HTTP asks for where they change something: an answer that is not
 * read holds up those that would come after it.
 */
function endingUnread(answer: RequestListener, unreadMs: number): RequestListener {
  /** For each connection with a request in progress, how to begin those that came after it. */
  const queues = new WeakMap<Socket, (() => void)[]>()
  return function answerOrEnd(request, response) {
    const { socket } = request
    // The rest of a packet is still parsed after its connection was ended.
    if (socket.destroyed) return
    const queue = queues.get(socket)
    if (!queue) {
      queues.set(socket, [])
      begin()
    } else if (queue.length < MOST_UNANSWERED - 1) queue.push(begin)
    else socket.destroy()

    function begin(): void {
      if (socket.destroyed) return
      response.once('close', () => {
        const next = queues.get(socket)?.shift()
        if (next) next()
        else queues.delete(socket)
      })
      // The whole answer is handed over. Once it has left, Node replaces this timeout.
      response.once('prefinish', () => socket.setTimeout(unreadMs))
      void answer(request, response)
    }
  }
}

/** Answers input that never became a request: it took too long or is not HTTP. */
async function refuse(
  problem: Problem,
  error: NodeJS.ErrnoException,
  socket: Socket,
  requestId: string,
): Promise<void> {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const response = renderProblem(problem, requestId)
  const body = await response.text()
  const head = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function problemFor(error: NodeJS.ErrnoException, { headersMs, requestMs }: Timeouts): Problem {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new Problem(
      'request_timeout',
      `Expected the headers within ${headersMs / 1_000} seconds and the whole request within ${requestMs / 1_000}.`,
    )
  }
  if (error.code === 'HPE_HEADER_OVERFLOW')
    return new Problem('body_too_large', 'Expected headers of at most 16 KiB.')
  return notHttp()
}

function notHttp(): Problem {
  return new Problem(
    'invalid_json',
    'Expected an HTTP/1.1 request with a path and a Host header; got something else.',
  )
}

/**
 * How many bytes of bodies are read in a second although their requests were answered. Many clients read no answer
 * before they have sent everything. Under a flood the garbage that reading makes would slow other clients down.
 */
const DISCARDED_PER_SECOND = 16_000_000
const CHECK_MS = 10

/**
 * Makes sure that what a client sends of a body after the answer to its request costs little. It may take `lingerMs` to
 * send the rest, and to read the answer when the rest is not read.
 */
class UnreadBodies {
  readonly #lingerMs: number
  readonly #perSecond: number
  #second = 0
  #left = 0

  constructor(lingerMs: number, perSecond = DISCARDED_PER_SECOND) {
    this.#lingerMs = lingerMs
    this.#perSecond = perSecond
  }

  guard(request: IncomingMessage, response: ServerResponse): void {
    response.once('finish', () => {
      // Often it has arrived by then, and is read in this turn.
      if (!request.complete) setImmediate(() => this.#watch(request))
    })
  }

  /** Node reads on by itself. A body of a known length counts before it comes, another one while it does. */
  #watch(request: IncomingMessage): void {
    const { socket, headers } = request
    const length = headers['content-length']
    const began = performance.now()
    let read = socket.bytesRead
    const timer = setInterval(() => {
      const more = length === undefined ? socket.bytesRead - read : 0
      read += more
      if (request.complete || socket.destroyed) clearInterval(timer)
      else if (!this.#isWorthReading(more)) this.#leave(socket, timer)
      else if (performance.now() - began > this.#lingerMs) {
        clearInterval(timer)
        socket.destroy()
      }
    }, CHECK_MS).unref()
    if (!this.#isWorthReading(Number(length ?? 0))) this.#leave(socket, timer)
  }

  #isWorthReading(bytes: number): boolean {
    const now = Math.floor(performance.now() / 1_000)
    if (now !== this.#second) {
      this.#second = now
      this.#left = this.#perSecond
    }
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  #leave(socket: Socket, timer: NodeJS.Timeout): void {
    clearInterval(timer)
    socket.pause()
    socket.end()
    setTimeout(() => socket.destroy(), this.#lingerMs).unref()
  }
}
