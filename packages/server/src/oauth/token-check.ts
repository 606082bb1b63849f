import type { Provider } from 'oidc-provider'
import type { Connections } from '../gateway/connections.ts'
import { opensSomething, SEND } from './scopes.ts'

/** What a token of an assistant proves now. */
export interface Assistant {
  connection: string
  accountId: string
  canSend: boolean
  expiresAt: number
}

/** What a token is good for at a resource; undefined when for nothing: unknown, expired, ended, or made for another. */
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
    // The connection decides, not the token: it ends at once, and so does the account's permission.
    const connection = await connections.byGrant(found.grantId)
    if (!connection) return undefined
    return {
      connection: connection.id,
      accountId: connection.accountId,
      canSend: connection.canSend && found.scopes.has(SEND),
      expiresAt: (found.exp ?? 0) * 1_000,
    }
  }
}
