import type { Provider } from 'oidc-provider'
import type { ActiveConnection, Connections } from '../connections.ts'
import { opensSomething, SEND } from './scopes.ts'

/** What an assistant's token gives access to at this moment. */
export interface Assistant {
  connection: string
  accountId: string
  canSend: boolean
  unasked: ActiveConnection['unasked']
  lastUsedAt: number
  expiresAt: number
}

/** Checks a token at a resource; undefined when it is unknown, expired, revoked or issued for another resource. */
export type TokenCheck = (token: string, resource: string) => Promise<Assistant | undefined>

export interface TokenCheckOptions {
  provider(): Promise<Provider>
  connections: Pick<Connections, 'byGrant'>
}

export function createTokenCheck({ provider, connections }: TokenCheckOptions): TokenCheck {
  return async function check(token, resource) {
    const { AccessToken } = await provider()
    const found = await AccessToken.find(token)
    if (!found?.grantId || found.aud !== resource || !opensSomething(found.scopes)) return undefined
    // The connection decides, not the token, so that revoking it or suspending the account takes effect at once.
    const connection = await connections.byGrant(found.grantId)
    if (!connection) return undefined
    return {
      connection: connection.id,
      accountId: connection.accountId,
      canSend: connection.canSend && found.scopes.has(SEND),
      unasked: connection.unasked,
      lastUsedAt: connection.lastUsedAt,
      expiresAt: (found.exp ?? 0) * 1_000,
    }
  }
}
