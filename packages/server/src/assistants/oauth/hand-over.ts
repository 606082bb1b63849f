import { AsyncLocalStorage } from 'node:async_hooks'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type Provider from 'oidc-provider'
import type { PageContext } from '../../platform/pages/reply.ts'

const addresses = new AsyncLocalStorage<string>()

/** Runs work with the caller's address at hand. The library does not always pass the request to our callbacks. */
export function answering<T>(address: string, work: () => T): T {
  return addresses.run(address, work)
}

/** The address of the request that is being answered. */
export function callerAddress(): string {
  return addresses.getStore() ?? ''
}

export interface NodePair {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/** Node's request and response objects, which the library needs. Without a socket there are none. */
export function nodePairOf({ env }: PageContext): NodePair {
  const { incoming, outgoing } = env ?? {}
  if (!incoming || !outgoing || !('req' in outgoing))
    throw new Error('sign-in needs a request that came over a socket')
  return { incoming, outgoing: outgoing as ServerResponse }
}

/** Lets the library answer a request. */
export async function handOver(c: PageContext, provider: Provider, issuer: string): Promise<Response> {
  const { incoming, outgoing } = nodePairOf(c)
  speakFor(incoming, issuer)
  if (incoming.method === 'HEAD') return headOf(incoming, provider)
  const answered = new Promise<void>((resolve) => outgoing.once('close', resolve))
  await Promise.all([provider.callback()(incoming, outgoing), answered])
  return alreadySent()
}

/**
 * Says that nothing is left to send. Hono's adapter replaces the global `Response` once it listens, and sends one of its
 * own kind whatever its headers say; a copy is of Node's kind.
 */
function alreadySent(): Response {
  return new Response(null, RESPONSE_ALREADY_SENT).clone()
}

/** For HEAD, Hono always sends a response itself, so the library's is not sent but copied. */
async function headOf(incoming: IncomingMessage, provider: Provider): Promise<Response> {
  const unsent = new ServerResponse(incoming)
  await provider.callback()(incoming, unsent)
  const headers = Object.entries(unsent.getHeaders()).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return new Response(null, { status: unsent.statusCode, headers })
}

/**
 * Shows the library the request under our public address, whatever proxies are in between. Removes its session cookies:
 * the portal knows who is signed in, and each authorization starts from scratch.
 */
function speakFor(incoming: IncomingMessage, issuer: string): void {
  const { protocol, host } = new URL(issuer)
  incoming.headers['x-forwarded-proto'] = protocol.slice(0, -1)
  incoming.headers['x-forwarded-host'] = host
  incoming.headers.host = host
  const { cookie } = incoming.headers
  if (cookie !== undefined) {
    const kept = cookie.split(/;\s*/).filter((pair) => !/^wigwag_oauth(\.sig)?=/.test(pair))
    incoming.headers.cookie = kept.join('; ')
  }
}
