import type Provider from 'oidc-provider'
import type { OauthKeyring } from './keys.ts'
import type { ProviderOptions } from './provider.ts'

export interface AuthorizationServerOptions extends Omit<ProviderOptions, 'keys'> {
  keyring: Pick<OauthKeyring, 'current'>
}

/** After this time at most, this process sees keys that another one changed. */
const LOOK_MS = 1_000

/** Loads the library when it is first needed, and creates it again when the keys change. */
export function createAuthorizationServer(options: AuthorizationServerOptions): () => Promise<Provider> {
  const { keyring, clock } = options
  let made: { version: string; provider: Provider; lookedAt: number } | undefined
  let looking: Promise<Provider> | undefined

  async function look(): Promise<Provider> {
    const lookedAt = clock.elapsed()
    const keys = await keyring.current()
    if (made?.version === keys.version) made.lookedAt = lookedAt
    else {
      const { createProvider } = await import('./provider.ts')
      const provider = createProvider({ ...options, keys })
      made = { version: keys.version, provider, lookedAt }
    }
    return made.provider
  }

  return async function provider() {
    if (made && clock.elapsed() - made.lookedAt < LOOK_MS) return made.provider
    looking ??= look().finally(() => {
      looking = undefined
    })
    return looking
  }
}
