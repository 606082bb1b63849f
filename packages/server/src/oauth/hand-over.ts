import { type IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type Provider from 'oidc-provider'
import type { PageContext } from '../pages/page-context.ts'

export interface NodePair {
  incoming: IncomingMessage
  outgoing: ServerResponse
}

/** Node's own request and answer, which the library works on. There are none without a socket. */
export function nodePairOf({ env }: PageContext): NodePair {
  const { incoming, outgoing } = env ?? {}
  if (!incoming || !outgoing || !('req' in outgoing))
    throw new Error('sign-in needs a request that came over a socket')
  return { incoming, outgoing: outgoing as ServerResponse }
}

/** Lets the library answer a request of ours. */
export async function handOver(c: PageContext, provider: Provider, issuer: string): Promise<Response> {
  const { incoming, outgoing } = nodePairOf(c)
  speakFor(incoming, issuer)
  if (incoming.method === 'HEAD') return headOf(incoming, provider)
  const answered = new Promise<void>((resolve) => outgoing.once('close', resolve))
  await Promise.all([provider.callback()(incoming, outgoing), answered])
  return RESPONSE_ALREADY_SENT
}

/** For HEAD, Hono makes an answer of its own from the one it gets, and would send it after the library's. */
async function headOf(incoming: IncomingMessage, provider: Provider): Promise<Response> {
  const unsent = new ServerResponse(incoming)
  await provider.callback()(incoming, unsent)
  const headers = Object.entries(unsent.getHeaders()).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return new Response(null, { status: unsent.statusCode, headers })
}

/**
 * The library is to see the request as the person's browser made it, whatever stands between. Its own sessions are kept
 * from it: who is signed in is the portal's to say, and each authorization starts anew.
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
