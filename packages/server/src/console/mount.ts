import { Hono } from 'hono'
import { mountAssets } from '../pages/assets.ts'
import { themeCookie } from '../pages/theme.ts'
import { failurePages } from '../platform/pages/error.ts'
import { goTo } from '../platform/pages/reply.ts'
import { localPath, sessionTokenOf } from '../portal/index.ts'
import { mountAssistants } from './assistants/routes.ts'
import { mountCallbacks } from './callbacks/routes.ts'
import { mountDevelopers } from './developers/routes.ts'
import { ASSETS } from './frame/asset-paths.ts'
import { createPages, type Pages } from './frame/pages.ts'
import { mountInbox } from './inbox/routes.ts'
import { mountInsights } from './insights/routes.ts'
import { mountKeys } from './keys/routes.ts'
import { mountLive } from './live/routes.ts'
import { mountLog } from './log/routes.ts'
import { mountMessage } from './message/routes.ts'
import type { ConsoleParts } from './parts.ts'
import { mountPeople } from './people/routes.ts'
import { mountRates } from './rates/routes.ts'
import { mountReception } from './reception/routes.ts'
import { sandboxFrame } from './sandbox/drawer.ts'
import { mountSandboxPages } from './sandbox/routes.ts'
import { mountScheduled } from './scheduled/routes.ts'
import { mountSend } from './send/routes.ts'
import { mountSenders } from './senders/routes.ts'
import { mountWallet } from './wallet/routes.ts'
import { oneClickOf } from './welcome/one-click.ts'
import { mountWelcome } from './welcome/routes.ts'
import { mountYou } from './you/routes.ts'

/** Adds the pages of one part of the console. */
export type PageModule = (pages: Pages, parts: ConsoleParts) => void

/** What people see and do here, whoever looks at it. */
export const PAGE_MODULES: readonly PageModule[] = [
  mountInbox,
  mountMessage,
  mountSend,
  mountScheduled,
  mountInsights,
  mountWallet,
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
  mountReception(site, { ...parts, assets, oneClick: (c) => oneClickOf(c, parts) })
  const pages = createPages(site, {
    ...parts,
    assets,
    async who(c) {
      const token = sessionTokenOf(c.req.header('cookie'), publicUrl())
      const person = await portal.who(token)
      return token === undefined || !person ? undefined : { person, token }
    },
    sandboxFrame: sandbox && ((visit) => sandboxFrame(visit, sandbox)),
  })
  // Live before the messages, whose tickets could otherwise be `live`.
  for (const mount of [mountLive, ...PAGE_MODULES, mountYou, mountTheme]) mount(pages, parts)
  mountWelcome(site, { ...parts, assets })
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
