import { Hono } from 'hono'
import { mountAssets } from '../pages/assets.ts'
import { themeCookie } from '../pages/theme.ts'
import { failurePages } from '../platform/pages/error.ts'
import { goTo } from '../platform/pages/reply.ts'
import { mountAudit } from './audit/routes.ts'
import { mountCarriers } from './carriers/routes.ts'
import { mountCustomers } from './customers/routes.ts'
import { ASSETS } from './frame/asset-paths.ts'
import { LOOK } from './frame/guard.ts'
import { guardHost } from './frame/host.ts'
import { createPages, type Pages } from './frame/pages.ts'
import { localPath } from './frame/places.ts'
import { refusal } from './frame/refusal.ts'
import { mountMessages } from './messages/routes.ts'
import { mountOperators } from './operators/routes.ts'
import { mountOverview } from './overview/routes.ts'
import type { DeskParts } from './parts.ts'
import { mountPrices } from './prices/routes.ts'
import { mountReception } from './reception/routes.ts'
import { mountSenders } from './senders/routes.ts'

/** Adds the pages of one place of the desk. */
type Place = (pages: Pages, parts: DeskParts) => void

const PLACES: readonly Place[] = [
  mountOverview,
  mountCustomers,
  mountSenders,
  mountMessages,
  mountCarriers,
  mountPrices,
  mountAudit,
  mountOperators,
]

/** The whole desk, an app of its own: no route of it is on the port of customers, and none of theirs is here. */
export function mountDesk(parts: DeskParts): Hono {
  const app = new Hono()
  guardHost(app, parts)
  const assets = mountAssets(app, ASSETS)
  mountReception(app, { ...parts, assets })
  const pages = createPages(app, { ...parts, assets })
  for (const mount of PLACES) mount(pages, parts)
  pages.change('/theme', LOOK, async (_, form) =>
    goTo(localPath(form.get('back') ?? undefined) ?? '/', themeCookie(form.get('theme'), parts.clock.now())),
  )
  app.notFound(() => nothingHere())
  app.onError(failurePages(parts, '/'))
  return app
}

function nothingHere(): Response {
  return refusal(404, {
    title: 'There is nothing here',
    text: 'No page of the desk has this address. It may be misspelled.',
    link: { href: '/', text: 'Go to the overview' },
  })
}
