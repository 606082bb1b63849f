import type { Hono } from 'hono'
import { goTo } from '../../platform/pages/reply.ts'
import type { DeskParts } from '../parts.ts'
import { refusal } from './refusal.ts'

/**
 * Without an address in the settings, the desk answers under the one that it listens on and no other: a page of another
 * site could have its own name point to this machine. Browsers that come by another name of this machine are led on,
 * since forms and passkeys work under one only.
 */
export function guardHost(app: Hono, { config, url }: Pick<DeskParts, 'config' | 'url'>): void {
  if (config.desk?.url !== undefined) return
  app.use(async (c, next) => {
    const here = new URL(url())
    if (c.req.header('host') === here.host) return next()
    const { pathname, search } = new URL(c.req.url)
    return c.req.method === 'GET' ? goTo(`${here.origin}${pathname}${search}`) : elsewhere(here.origin)
  })
}

function elsewhere(origin: string): Response {
  return refusal(421, {
    title: 'The desk is elsewhere',
    text: `It answers at ${origin}. Behind a proxy, WIGWAG_OPERATOR_URL says at which address people open it.`,
    link: { href: origin, text: 'Go there' },
  })
}
