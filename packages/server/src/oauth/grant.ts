import type Provider from 'oidc-provider'
import { READ, SEND } from './scopes.ts'

export interface Granted {
  accountId: string
  clientId: string
  resource: string
  /** The scopes that were asked for. */
  requested: ReadonlySet<string>
  canSend: boolean
}

/** Writes down what a person has allowed, in the authorization server's own terms, and names it. */
export function saveGrant(provider: Provider, granted: Granted): Promise<string> {
  const { accountId, clientId, resource, requested, canSend } = granted
  const grant = new provider.Grant({ accountId, clientId })
  const general = ['openid', 'offline_access'].filter((scope) => requested.has(scope))
  if (general.length > 0) grant.addOIDCScope(general.join(' '))
  grant.addResourceScope(resource, canSend ? `${READ} ${SEND}` : READ)
  return grant.save()
}
