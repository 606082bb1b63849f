import { Hono } from 'hono'
import { errorPage, failurePages } from '../../net/pages/error.tsx'
import { goTo, type PageContext, pageReply } from '../../net/pages/reply.ts'
import { mountAssets } from '../assets.ts'
import { themeCookie } from '../theme.tsx'
import { mountAudit } from './audit.tsx'
import { mountCarriers } from './carriers/list.tsx'
import { mountCustomers } from './customers/routes.ts'
import { mountDeliveries } from './deliveries/page.tsx'
import { Pages } from './frame/pages.ts'
import { ASSETS, localPath } from './frame/shell.tsx'
import { LOOK, type RefusalPage, refusal } from './frame/visit.ts'
import { mountMessages } from './messages/routes.ts'
import { mountOperators } from './operators.tsx'
import { mountOverview } from './overview/page.tsx'
import type { DeskParts } from './parts.ts'
import { mountPrices } from './prices/routes.ts'
import { mountReception } from './reception/routes.ts'
import { mountSenders } from './senders/routes.tsx'

/** Adds the pages of one place of the desk. */
type Place = (pages: Pages, parts: DeskParts) => void

const PLACES: readonly Place[] = [
  mountOverview,
  mountCustomers,
  mountSenders,
  mountMessages,
  mountCarriers,
  mountDeliveries,
  mountPrices,
  mountAudit,
  mountOperators,
]

/** The whole desk, an app of its own: no route of it is on the port of customers, and none of theirs is here. */
export function mountDesk(parts: DeskParts): Hono {
  const app = new Hono()
  guardHost(app, parts)
  const assets = mountAssets(app, ASSETS)
  mountReception(app, parts, assets)
  const pages = new Pages(app, parts, assets)
  for (const mount of PLACES) mount(pages, parts)
  pages.change('/theme', LOOK, async (_, form) =>
    goTo(localPath(form.get('back') ?? undefined) ?? '/', themeCookie(form.get('theme'), parts.clock.now())),
  )
  app.all('*', (c: PageContext) => pages.refuse(c, nothingHere()))
  app.onError(
    failurePages(parts, '/', async (c, view, { status = 500, headers = {} }) =>
      pages
        .refuse(c, refusal(status, view, headers))
        .catch(() => pageReply(errorPage(view), { status, headers })),
    ),
  )
  return app
}

function nothingHere(): RefusalPage {
  return refusal(404, {
    title: 'There is nothing here',
    text: 'No page of the desk has this address. It may be misspelled.',
    link: { href: '/', text: 'Go to the overview' },
  })
}

/**
 * Without an address in the settings, the desk answers under the one that it listens on and no other: a page of another
 * site could have its own name point to this machine. Browsers that come by another name of this machine are led on,
 * since forms and passkeys work under one only.
 */
function guardHost(app: Hono, { config, url }: Pick<DeskParts, 'config' | 'url'>): void {
  if (config.desk?.url !== undefined) return
  app.use(async (c, next) => {
    const here = new URL(url())
    if (c.req.header('host') === here.host) return next()
    const { pathname, search } = new URL(c.req.url)
    return c.req.method === 'GET' ? goTo(`${here.origin}${pathname}${search}`) : elsewhere(here.origin)
  })
}

function elsewhere(origin: string): Response {
  const page = errorPage({
    title: 'The desk is elsewhere',
    text: `It answers at ${origin}. Behind a proxy, WIGWAG_OPERATOR_URL says at which address people open it.`,
    link: { href: origin, text: 'Go there' },
  })
  return pageReply(page, { status: 421 })
}
