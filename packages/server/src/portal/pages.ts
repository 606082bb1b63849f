import { randomBytes } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { createClientAddress, type ProxyWarnings } from '../platform/http/client-address.ts'
import { createFormTickets, type FormTickets } from '../platform/pages/forms.ts'
import type { PageContext } from '../platform/pages/reply.ts'
import type { KeyFor } from '../platform/secrets/sealing.ts'
import type { Portal } from './portal.ts'

/** What every page for a signed-in person needs. */
export interface PortalPages {
  portal: Portal
  tickets: FormTickets
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  clock: Clock
}

export interface PortalPagesParts {
  portal: Portal
  publicUrl(): string
  clock: Clock
  keyFor: KeyFor
  /** Address ranges of the proxies whose `X-Forwarded-For` is trusted. */
  trustedProxies: readonly string[]
  proxyWarnings: ProxyWarnings
}

export function createPortalPages(parts: PortalPagesParts): PortalPages {
  const { portal, publicUrl, clock, keyFor } = parts
  const clientAddress = createClientAddress(parts.trustedProxies, parts.proxyWarnings)
  return {
    portal,
    publicUrl,
    clock,
    tickets: createFormTickets({ key: keyFor('form tickets'), publicUrl, randomBytes }),
    addressOf: (c) => clientAddress(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')),
  }
}
