import type Provider from 'oidc-provider'
import { isDocument } from './client-documents.ts'
import type { NodePair } from './hand-over.ts'
import { SEND } from './scopes.ts'

/** What an assistant asks a person for. */
export interface Asked {
  /** Names the authorization that waits. */
  uid: string
  /** Where the person's browser goes on when it was answered. */
  goesOnAt: string
  clientId: string
  clientName: string
  clientUri: string | undefined
  /** The host that its own description was fetched from; a client that only registered has none. */
  documentHost: string | undefined
  redirectUri: string
  resource: string
  requested: ReadonlySet<string>
  asksSending: boolean
}

/** Reads the authorization that waits in a browser; undefined when it has expired or is another browser's. */
export async function readAsked(
  provider: Provider,
  { incoming, outgoing }: NodePair,
): Promise<Asked | undefined> {
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
