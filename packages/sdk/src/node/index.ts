import { Agent } from 'undici'
import { Exchange } from './exchange.ts'

/**
 * How a Node transport is set up.
 * @example
 * import { type NodeTransportOptions, nodeTransport } from '@wigwag/sdk/node'
 * const options: NodeTransportOptions = { connections: 16 }
 * const transport = nodeTransport(options)
 */
export interface NodeTransportOptions {
  /** The most connections that are open at once; as many as there are calls unless given. */
  connections?: number | undefined
}

/**
 * What a client takes in place of the global `fetch`, and can be called like it.
 * @example
 * import { type NodeTransport, nodeTransport } from '@wigwag/sdk/node'
 * const transport: NodeTransport = nodeTransport()
 * await transport.close()
 */
export interface NodeTransport {
  (input: string | Request, init?: RequestInit): Promise<Response>
  /** Closes the connections when the calls under way are done. A program that ends need not: idle ones don't hold it. */
  close(): Promise<void>
}

/**
 * Makes a transport over `undici` itself, on connections that are kept open: several times the calls of Node's `fetch`
 * for the same processor, where many are under way at once. Needs the package `undici` beside this one.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * import { nodeTransport } from '@wigwag/sdk/node'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', transport: nodeTransport() })
 */
export function nodeTransport({ connections }: NodeTransportOptions = {}): NodeTransport {
  // A call has a limit of its own, which may be longer than these would be.
  const agent = new Agent({ connections: connections ?? null, headersTimeout: 0, bodyTimeout: 0 })

  function send(url: string, init: RequestInit, body: string | Uint8Array | null): Promise<Response> {
    const { origin, pathname, search } = new URL(url)
    const { method = 'GET', signal = null } = init
    signal?.throwIfAborted()
    const exchange = new Exchange(url, signal)
    agent.dispatch({ origin, path: pathname + search, method, headers: listOf(init.headers), body }, exchange)
    return exchange.response
  }

  async function transport(input: string | Request, init: RequestInit = {}): Promise<Response> {
    const { body, redirect } = init
    const isPlain = typeof input === 'string' && redirect === 'manual'
    if (isPlain && (typeof body === 'string' || !body)) return send(input, init, body ?? null)
    const request = new Request(input, init)
    if (request.redirect !== 'manual') return fetch(request)
    const bytes = new Uint8Array(await request.arrayBuffer())
    return send(request.url, request, bytes.length ? bytes : null)
  }

  return Object.assign(transport, { close: () => agent.close() })
}

/** Names and values in turn, as undici likes them best. Nothing is decoded here, so nothing encoded is asked for. */
function listOf(headers: HeadersInit | undefined): string[] {
  const list = ['accept-encoding', 'identity']
  const given = headers instanceof Headers ? headers : new Headers(headers)
  given.forEach((value, name) => {
    if (name !== 'accept-encoding') list.push(name, value)
  })
  return list
}
