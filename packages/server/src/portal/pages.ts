import { randomBytes } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import { createClientAddress, type ProxyWarnings } from '../platform/http/client-address.ts'
import { errorPage } from '../platform/pages/error.ts'
import { createFormTickets, type FormTickets } from '../platform/pages/forms.ts'
import { type PageContext, pageReply } from '../platform/pages/reply.ts'
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

/** The reply to a form that did not come from one of our pages in this browser. Links to our public address. */
export function notFromHere(publicUrl: string): Response {
  const page = errorPage({
    title: 'This form can’t be used',
    text: 'It did not come from a page of this service in this browser, or the browser keeps no cookies. Nothing was done.',
    link: { href: `${publicUrl}/messages`, text: 'Start again' },
  })
  return pageReply(page, { status: 403 })
}
