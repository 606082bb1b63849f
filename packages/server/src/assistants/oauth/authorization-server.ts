import type Provider from 'oidc-provider'
import type { Outbound } from '../../platform/outbound/port.ts'
import type { ClientDocuments } from './client-documents.ts'
import type { OauthKeyring } from './keys.ts'
import type { ProviderOptions } from './provider.ts'
import { createTokenCheck, type TokenCheck, type TokenCheckOptions } from './token-check.ts'

export interface AuthorizationServerOptions extends Omit<ProviderOptions, 'keys' | 'documents' | 'check'> {
  keyring: Pick<OauthKeyring, 'current'>
  connections: TokenCheckOptions['connections']
  /** Fetches client ID metadata documents. */
  outbound: Outbound
}

export interface AuthorizationServer {
  provider(): Promise<Provider>
  /** Checks the tokens that it issued. */
  check: TokenCheck
}

/** After this time at most, this process sees keys that another one changed. */
const CHECK_MS = 1_000

/**
 * Loads the library when it is first needed, and creates it again when the keys change. It takes as long to load as the
 * rest of the gateway, so what is imported from elsewhere in this folder must not import it.
 */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const { keyring, clock, connections } = options
  const check = createTokenCheck({ provider, connections })
  let made: { version: string; provider: Provider; checkedAt: number } | undefined
  let documents: ClientDocuments | undefined
  let refreshing: Promise<Provider> | undefined

  async function refresh(): Promise<Provider> {
    const checkedAt = clock.elapsed()
    const keys = await keyring.current()
    if (made?.version === keys.version) made.checkedAt = checkedAt
    else {
      const [{ createProvider }, { createClientDocuments }] = await Promise.all([
        import('./provider.ts'),
        import('./client-documents.ts'),
      ])
      documents ??= createClientDocuments(options)
      const provider = createProvider({ ...options, check, keys, documents })
      made = { version: keys.version, provider, checkedAt }
    }
    return made.provider
  }

  async function provider(): Promise<Provider> {
    if (made && clock.elapsed() - made.checkedAt < CHECK_MS) return made.provider
    refreshing ??= refresh().finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  return { provider, check }
}
