import { Agent, EnvHttpProxyAgent } from 'undici'
import { environment } from '../environment.ts'
import type { FetchInit } from '../fetch.ts'
import { Exchange } from './exchange.ts'

/**
 * The options of `nodeTransport`.
 * @example
 * import { type NodeTransportOptions, nodeTransport } from '@wigwag/sdk/node'
 * const options: NodeTransportOptions = { connections: 16 }
 * const fetch = nodeTransport(options)
 */
export interface NodeTransportOptions {
  /** The maximum number of open connections; unlimited by default. Only without a `dispatcher`. */
  connections?: number | undefined
  /** Carries the requests instead: an `Agent`, `ProxyAgent` or `EnvHttpProxyAgent` of undici. */
  dispatcher?: RequestDispatcher | undefined
}

/**
 * Any dispatcher of undici. Its own types are not used here, since they need those of Node.
 * @example
 * import { nodeTransport, type RequestDispatcher } from '@wigwag/sdk/node'
 * const over = (dispatcher: RequestDispatcher) => nodeTransport({ dispatcher })
 */
export interface RequestDispatcher {
  dispatch(options: object, handler: object): unknown
  close(): Promise<void>
}

/**
 * A replacement for the global `fetch`, to pass to a client.
 * @example
 * import { type NodeTransport, nodeTransport } from '@wigwag/sdk/node'
 * const transport: NodeTransport = nodeTransport()
 * await transport.close()
 */
export interface NodeTransport {
  (url: string, init: FetchInit): Promise<Response>
  /** Whether it goes through a proxy that the environment names. False with a `dispatcher`, which may do so by itself. */
  readonly isProxied: boolean
  /** Closes the connections after the calls under way. A program may exit without it: idle ones don't keep it alive. */
  close(): Promise<void>
}

/**
 * Creates a `fetch` that uses `undici` directly, on connections that are kept open. With many calls under way at once it
 * makes several times as many as Node's `fetch` on the same processor. It goes through the proxy that the variables
 * `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` name, if they are set. Requires the package `undici`.
 * @example
 * import { createClient } from '@wigwag/sdk'
 * import { nodeTransport } from '@wigwag/sdk/node'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', fetch: nodeTransport() })
 */
export function nodeTransport({ connections, dispatcher }: NodeTransportOptions = {}): NodeTransport {
  const isProxied = dispatcher === undefined && PROXIES.some((name) => environment(name))
  const agent = dispatcher ?? createAgent(connections, isProxied)

  function transport(url: string, { method, headers, body, signal }: FetchInit): Promise<Response> {
    const { origin, pathname, search } = new URL(url)
    if (signal.aborted) return Promise.reject(signal.reason)
    const exchange = new Exchange(url, signal)
    agent.dispatch(
      {
        origin,
        path: pathname + search,
        method,
        headers: listOf(headers),
        body: body ?? null,
        // Each call has its own time limit, which may be longer than undici's.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      exchange,
    )
    return exchange.response
  }

  return Object.assign(transport, { isProxied, close: () => agent.close() })
}

/** The variables that name a proxy. */
const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy']

/** A proxy that the environment names is looked up for each request. */
function createAgent(connections: number | undefined, isProxied: boolean): RequestDispatcher {
  const options = { connections: connections ?? null }
  return isProxied ? new EnvHttpProxyAgent(options) : new Agent(options)
}

/** Names and values in turn, undici's fastest form. Responses are not decoded, so no encoding is accepted. */
function listOf(headers: Readonly<Record<string, string>>): string[] {
  const list = ['accept-encoding', 'identity']
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== 'accept-encoding') list.push(name, value)
  }
  return list
}
