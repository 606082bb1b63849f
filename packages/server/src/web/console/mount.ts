import { Hono } from 'hono'
import { failurePages } from '../../net/pages/error.tsx'
import { goTo } from '../../net/pages/reply.ts'
import { localPath, sessionTokenOf } from '../../sign-in/portal/index.ts'
import { mountAssets } from '../assets.ts'
import { themeCookie } from '../theme.tsx'
import { mountAlerts } from './account/alerts.tsx'
import { mountAssistants } from './account/assistants.tsx'
import { mountKeys } from './account/keys.tsx'
import { mountLog } from './account/log.tsx'
import { mountPeople } from './account/people.tsx'
import { mountRates } from './account/rates.tsx'
import { mountSenders } from './account/senders.tsx'
import { mountYou } from './account/you.tsx'
import { mountCallbacks } from './callbacks/page.tsx'
import { mountDevelopers } from './developers/page.tsx'
import { Pages } from './frame/pages.tsx'
import { ASSETS } from './frame/shell.tsx'
import { mountInsights } from './insights/insights.tsx'
import { mountLive } from './live/routes.ts'
import { mountInbox } from './messages/inbox.tsx'
import { mountMessage } from './messages/message.tsx'
import type { ConsoleParts } from './parts.ts'
import { mountReception } from './reception/routes.ts'
import { mountWelcome, oneClickOf } from './reception/welcome.tsx'
import { sandboxFrame } from './sandbox/drawer.tsx'
import { mountSandboxPages } from './sandbox/routes.tsx'
import { mountSend } from './send/routes.tsx'
import { mountScheduled } from './send/scheduled.tsx'
import { mountWallet } from './wallet/wallet.tsx'

/** Adds the pages of one part of the console. */
type PageModule = (pages: Pages, parts: ConsoleParts) => void

/** The pages of an account, for its people and for operators who view it. */
export const PAGE_MODULES: readonly PageModule[] = [
  mountInbox,
  mountMessage,
  mountSend,
  mountScheduled,
  mountInsights,
  mountWallet,
  mountAlerts,
  mountSenders,
  mountRates,
  mountDevelopers,
  mountCallbacks,
  mountKeys,
  mountAssistants,
  mountPeople,
  mountLog,
]

/** Serves sign-in and the console. Their errors are pages too. */
export function mountConsole(app: Hono, parts: ConsoleParts): void {
  const site = new Hono()
  const { portal, publicUrl, sandbox } = parts
  const assets = mountAssets(site, ASSETS)
  mountReception(site, parts, { assets, oneClick: (c) => oneClickOf(c, parts) })
  const pages = new Pages(site, parts, {
    assets,
    async who(c) {
      const token = sessionTokenOf(c.req.header('cookie'), publicUrl())
      const person = await portal.who(token)
      return token === undefined || !person ? undefined : { person, token }
    },
    sandboxFrame: sandbox && ((visit) => sandboxFrame(visit, sandbox)),
  })
  // First `/messages/live`: the page of a message would take `live` for its ticket.
  for (const mount of [mountLive, ...PAGE_MODULES, mountYou, mountTheme]) mount(pages, parts)
  mountWelcome(site, parts, assets)
  if (sandbox) mountSandboxPages(pages, parts, sandbox)
  site.onError(failurePages(parts))
  app.route('/', site)
}

/** Keeps a person's choice of light or dark, and goes back to the page that it was made on. */
function mountTheme(pages: Pages, { clock }: ConsoleParts): void {
  pages.change('/theme', { right: 'read' }, async (_, form) =>
    goTo(
      localPath(form.get('back') ?? undefined) ?? '/messages',
      themeCookie(form.get('theme'), clock.now()),
    ),
  )
}
