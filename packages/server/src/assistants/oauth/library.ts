import { AsyncLocalStorage } from 'node:async_hooks'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type Provider from 'oidc-provider'
import type { PageContext } from '../../net/pages/reply.ts'
import { isDocument, READ, SEND } from './scopes.ts'

const addresses = new AsyncLocalStorage<string>()

/** Runs work with the caller's address at hand. The library does not always pass the request to our callbacks. */
export function answering<T>(address: string, work: () => T): T {
  return addresses.run(address, work)
}

/** The address of the request that is being answered. */
export function callerAddress(): string {
  return addresses.getStore() ?? ''
}

interface NodePair {
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
export async function answerByLibrary(c: PageContext, provider: Provider, issuer: string): Promise<Response> {
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

/** An authorization that an assistant asks a person for. */
export interface AuthorizationRequest {
  /** The id of the pending authorization. */
  uid: string
  /** Where the person's browser goes after the answer. */
  goesOnAt: string
  clientId: string
  clientName: string
  clientUri: string | undefined
  /** The host of its client ID metadata document; undefined for a client that registered. */
  documentHost: string | undefined
  redirectUri: string
  resource: string
  requested: ReadonlySet<string>
  asksSending: boolean
}

/** Reads the pending authorization of a browser; undefined when it has expired or belongs to another browser. */
export async function readAuthorizationRequest(
  provider: Provider,
  { incoming, outgoing }: NodePair,
): Promise<AuthorizationRequest | undefined> {
  const details = await provider.interactionDetails(incoming, outgoing).catch(() => undefined)
  if (!details) return undefined
  const { uid, returnTo: goesOnAt } = details
  const { client_id, redirect_uri, scope, resource } = details.params
  const client =
    typeof client_id === 'string' ? await provider.Client.find(client_id).catch(() => undefined) : undefined
  if (!client || typeof redirect_uri !== 'string') return undefined
  const { clientId, clientName, clientUri } = client
  const requested = new Set(typeof scope === 'string' ? scope.split(' ') : [])
  return {
    uid,
    goesOnAt,
    clientId,
    clientName: clientName ?? new URL(redirect_uri).host,
    clientUri,
    documentHost: isDocument(clientId) ? new URL(clientId).host : undefined,
    redirectUri: redirect_uri,
    resource: String([resource].flat()[0]),
    requested,
    asksSending: requested.has(SEND),
  }
}

interface Granted {
  accountId: string
  clientId: string
  resource: string
  /** The scopes that were asked for. */
  requested: ReadonlySet<string>
  canSend: boolean
}

/** Stores what a person has allowed as the library's `Grant`. Returns its id. */
export function saveGrant(provider: Provider, granted: Granted): Promise<string> {
  const { accountId, clientId, resource, requested, canSend } = granted
  const grant = new provider.Grant({ accountId, clientId })
  const general = ['openid', 'offline_access'].filter((scope) => requested.has(scope))
  if (general.length > 0) grant.addOIDCScope(general.join(' '))
  grant.addResourceScope(resource, canSend ? `${READ} ${SEND}` : READ)
  return grant.save()
}
