import type { Hono } from 'hono'
import type Provider from 'oidc-provider'
import type { Clock } from '../clock.ts'
import { countedAddress } from '../gateway/caller-address.ts'
import { handOver, type SocketContext } from './hand-over.ts'
import { type InteractionOptions, mountInteractions } from './interaction.ts'
import { createRegistrationLimit } from './registration-limit.ts'

export interface OauthOptions extends InteractionOptions {
  provider(): Promise<Provider>
  publicUrl(): string
  clock: Clock
  addressOf(c: SocketContext): string
}

const LIBRARY = [
  '/oauth/authorize',
  '/oauth/authorize/:uid',
  '/oauth/token',
  '/oauth/revoke',
  '/oauth/introspect',
  '/oauth/jwks',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
]

/** Serves the authorization server on the gateway's own port. */
export function mountOauth(app: Hono, options: OauthOptions): void {
  const { provider, publicUrl, clock, addressOf } = options
  const refuseMore = createRegistrationLimit(clock)
  const answer = async (c: SocketContext) => handOver(c, await provider(), publicUrl())

  for (const path of LIBRARY) app.all(path, answer)
  app.all('/oauth/register', async (c: SocketContext) => {
    const refused = c.req.method === 'POST' ? refuseMore(countedAddress(addressOf(c))) : undefined
    if (!refused) return answer(c)
    const description = 'This address has registered too many clients; try again later.'
    return c.json({ error: 'temporarily_unavailable', error_description: description }, 429, {
      'retry-after': String(refused.retryAfter),
      'cache-control': 'no-store',
    })
  })
  mountInteractions(app, options)
}
