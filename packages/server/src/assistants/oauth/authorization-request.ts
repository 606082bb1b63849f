import type Provider from 'oidc-provider'
import type { NodePair } from './hand-over.ts'
import { isDocument, READ, SEND } from './scopes.ts'

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

export interface Granted {
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
