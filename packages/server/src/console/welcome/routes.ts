import { namesOf } from '@wigwag/contract'
import type { Hono } from 'hono'
import { assetPageReply } from '../../pages/reply.ts'
import { themeOf } from '../../pages/theme.ts'
import { isFromThisMachine } from '../../pages/this-machine.ts'
import { errorPage } from '../../platform/pages/error.ts'
import { postedForm } from '../../platform/pages/forms.ts'
import { goTo, type PageContext, pageReply, withKept } from '../../platform/pages/reply.ts'
import { fromOf, keepSession, nextOf, notFromHere, sessionTokenOf } from '../../portal/index.ts'
import type { AssetPaths } from '../frame/asset-paths.ts'
import { bareShell } from '../frame/shell.ts'
import type { ConsoleParts, SandboxParts } from '../parts.ts'
import { oneClickOf } from './one-click.ts'
import { welcomePage } from './page.ts'

export interface WelcomeParts extends ConsoleParts {
  assets(): Promise<AssetPaths>
}

/** The first page: a sandbox welcomes, production asks to sign in, and a person who is signed in sees the inbox. */
export function mountWelcome(app: Hono, parts: WelcomeParts): void {
  const { portal, publicUrl, sandbox } = parts
  app.get('/', async (c: PageContext) => {
    const person = await portal.who(sessionTokenOf(c.req.header('cookie'), publicUrl()))
    if (person) return goTo('/messages')
    if (!sandbox) return goTo('/sign-in')
    // Forms work under one name only, and people type the others.
    const elsewhere = isOtherName(c.req.header('host'), publicUrl())
    return elsewhere ? goTo(`${publicUrl()}/`) : welcome(c, parts, sandbox)
  })
  if (sandbox) mountOpen(app, parts, sandbox)
}

async function welcome(
  c: PageContext,
  parts: WelcomeParts,
  { demo, start }: SandboxParts,
): Promise<Response> {
  const { form, setCookie } = parts.tickets.issue(c.req.header('cookie'))
  const email = oneClickOf(c, parts)
  const body = welcomePage(demo && start, email === undefined ? undefined : { email, form })
  const page = bareShell({
    title: 'Welcome',
    sandbox: true,
    assets: await parts.assets(),
    theme: themeOf(c),
    body,
  })
  return assetPageReply(c, page, { setCookie })
}

/** Signs in to the demo account with one press, and to no other. */
function mountOpen(app: Hono, parts: WelcomeParts, { demo, openDemo }: SandboxParts): void {
  const { portal, publicUrl, tickets, addressOf } = parts
  app.post('/open', async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    const from = fromOf(c, addressOf(c))
    if (!form || !isFromThisMachine((name) => c.req.header(name), from.address))
      return notFromHere(publicUrl())
    const session = await openDemo(from)
    if (!session) return demo ? demoSuspended(demo) : goTo('/sign-in')
    await keepSession(c, { portal, publicUrl }, session)
    return withKept(c, goTo(nextOf(c) ?? '/messages'))
  })
}

function demoSuspended({ email }: { email: string }): Response {
  const page = errorPage({
    title: 'The demo account is suspended',
    text: `This opens it again: wigwag account resume ${email}`,
    link: { href: '/sign-in', text: 'Sign in as somebody else' },
  })
  return pageReply(page, { status: 403 })
}

/** Whether a host is the public address by another loopback name. */
function isOtherName(host: string | undefined, publicUrl: string): boolean {
  const [name, ...others] = namesOf(publicUrl)
  const hostOf = (address: string) => new URL(address).host
  return host !== hostOf(name) && others.some((other) => hostOf(other) === host)
}
