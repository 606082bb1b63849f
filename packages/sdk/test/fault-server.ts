import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Clock, FetchInit } from '../src/index.ts'

/** The server's reaction to one request. */
export type Step = 'reset unread' | 'reset after reading' | ((response: ServerResponse) => void)

/** A request that the server read to its end. */
export interface Seen {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

export interface FaultServer extends AsyncDisposable {
  baseUrl: string
  /** The requests that were read, in order. */
  seen: Seen[]
  /** How many requests were made, read or not. */
  requests(): number
  /** The idempotency keys that came, each once. */
  keys(): string[]
}

/** Answers with JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Step {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  }
}

/** Answers with an error as the gateway does. */
export function problem(status: number, code: string, headers: Record<string, string> = {}): Step {
  const body = {
    type: 'about:blank',
    title: 'Title',
    status,
    detail: 'Detail.',
    code,
    requestId: 'request-1',
  }
  return json(status, body, { 'content-type': 'application/problem+json', ...headers })
}

/** A server on a real socket that follows a script, one step a request. The last step repeats. */
export async function faultServer(...script: Step[]): Promise<FaultServer> {
  const seen: Seen[] = []
  let taken = 0
  const next = () => script[Math.min(taken, script.length - 1)]
  const server = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    const step = next()
    taken++
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
    if (step === 'reset after reading') request.socket.resetAndDestroy()
    else if (typeof step === 'function') step(response.setHeader('connection', 'close'))
  })
  // A client may open a connection that it never uses, so only a reset is counted here.
  server.on('connection', (socket) => {
    if (next() !== 'reset unread') return
    taken++
    socket.resetAndDestroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    requests: () => taken,
    keys: () => [...new Set(seen.map(({ headers }) => String(headers['idempotency-key'])))],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A clock that only sleeping moves, and that remembers the sleeps. */
export function testClock(start = Date.UTC(2026, 10, 20)): Clock & { slept: number[]; time: number } {
  const clock = {
    time: start,
    slept: [] as number[],
    now: () => clock.time,
    async sleep(milliseconds: number, signal?: AbortSignal) {
      signal?.throwIfAborted()
      clock.slept.push(milliseconds)
      clock.time += milliseconds
    },
  }
  return clock
}

/** A request without credentials, as a client hands it to its `fetch`. */
export const GET: FetchInit = {
  method: 'GET',
  headers: {},
  redirect: 'manual',
  signal: new AbortController().signal,
}

export const credentials = { clientId: 'acme', clientSecret: 'secret', walletToken: 'wallet-token' }

export const message = { From: 'ACME', To: '233201234567', Content: 'Hello', Reference: 'order-1' }

export const sent = {
  Cost: 0,
  Destination: '233201234567',
  Id: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
  ClientReference: 'order-1',
  Status: 'pending',
}

/** The reason with which a promise rejects. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('Expected the promise to be rejected.')
}

/** The message of the error with which a promise rejects. */
export async function wordsOf(promise: Promise<unknown>): Promise<string> {
  const error = await failure(promise)
  return error instanceof Error ? error.message : `no error: ${error}`
}
