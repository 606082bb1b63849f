import { randomBytes } from 'node:crypto'
import { type Site, siteOf } from '../factors/index.ts'
import type { Clock } from '../platform/clock.ts'
import { createClientAddress, type ProxyWarnings } from '../platform/http/client-address.ts'
import { createFormTickets, type FormTickets } from '../platform/pages/forms.ts'
import type { PageContext } from '../platform/pages/reply.ts'
import type { KeyFor } from '../platform/secrets/sealing.ts'
import type { SignIn } from './wiring.ts'

/** What every page for a signed-in person needs. */
export interface PortalPages extends SignIn {
  tickets: FormTickets
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  /** What passkeys are made for. */
  site(): Site
  /** By which sessions and links end: a sandbox's clock may be moved. */
  realClock: Pick<Clock, 'now'>
}

export interface PortalPagesParts {
  signIn: SignIn
  publicUrl(): string
  realClock: Pick<Clock, 'now'>
  keyFor: KeyFor
  /** Address ranges of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  proxyWarnings: ProxyWarnings
}

export function createPortalPages(parts: PortalPagesParts): PortalPages {
  const { signIn, publicUrl, realClock, keyFor } = parts
  const clientAddress = createClientAddress(parts.trustedProxies, parts.proxyWarnings)
  return {
    ...signIn,
    publicUrl,
    realClock,
    site: () => siteOf(publicUrl(), 'Wigwag'),
    tickets: createFormTickets({ key: keyFor('form tickets'), publicUrl, randomBytes }),
    addressOf: (c) => clientAddress(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')),
  }
}
