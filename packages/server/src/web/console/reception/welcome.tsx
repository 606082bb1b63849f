import { namesOf } from '@wigwag/contract'
import type { Hono } from 'hono'
import { errorPage } from '../../../net/pages/error.tsx'
import { type FormTicket, postedForm } from '../../../net/pages/forms.tsx'
import { flag, ticketField } from '../../../net/pages/layout.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { goTo, type PageContext, pageReply, withKept } from '../../../net/pages/reply.ts'
import type { Sandbox } from '../../../sandbox/index.ts'
import { fromOf, keepSession, nextOf, notFromHere, sessionTokenOf } from '../../../sign-in/portal/index.ts'
import { assetPageReply } from '../../document.tsx'
import { themeOf } from '../../theme.tsx'
import { isFromThisMachine } from '../../this-machine.ts'
import { type AssetPaths, bareShell } from '../frame/shell.tsx'
import type { ConsoleParts } from '../parts.ts'

/** The first page: a sandbox welcomes, production asks to sign in, and a person who is signed in sees the inbox. */
export function mountWelcome(app: Hono, parts: ConsoleParts, assets: () => Promise<AssetPaths>): void {
  const { portal, publicUrl, sandbox } = parts
  app.get('/', async (c: PageContext) => {
    const person = await portal.who(sessionTokenOf(c.req.header('cookie'), publicUrl()))
    if (person) return goTo('/messages')
    if (!sandbox) return goTo('/sign-in')
    // Forms work under one name only, and people type the others.
    const elsewhere = isOtherName(c.req.header('host'), publicUrl())
    return elsewhere ? goTo(`${publicUrl()}/`) : welcome(c, parts, await assets())
  })
  if (sandbox) mountOpen(app, parts, sandbox)
}

async function welcome(c: PageContext, parts: ConsoleParts, assets: AssetPaths): Promise<Response> {
  const { form, setCookie } = parts.tickets.issue(c.req.header('cookie'))
  const email = oneClickOf(c, parts)
  const body = welcomePage(email === undefined ? undefined : { email, form })
  const page = bareShell({
    title: 'Welcome',
    sandbox: true,
    assets,
    theme: themeOf(c),
    operator: parts.operator,
    body,
  })
  return assetPageReply(c, page, { setCookie })
}

/** Signs in to the demo account with one press, and to no other. */
function mountOpen(app: Hono, parts: ConsoleParts, { demo, openDemo }: Sandbox): void {
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

/** Who may open the console with one press; undefined for visitors who have to sign in. */
interface OneClick {
  email: string
  form: FormTicket
}

/** The first page of a sandbox. */
function welcomePage(oneClick: OneClick | undefined): Markup {
  return (
    <div class="sheet">
      {flag}
      <h1>Wigwag is running</h1>
      <p class="soft">
        This is a sandbox on your own machine. No text reaches a phone, and the money is play money.
      </p>
      {oneClick ? (
        openForm(oneClick)
      ) : (
        <p>
          <a class="button big" href="/sign-in">
            Sign in
          </a>
        </p>
      )}
    </div>
  )
}

function openForm({ email, form }: OneClick): Markup {
  return (
    <>
      <form method="post" action="/open">
        {ticketField(form)}
        <p>
          <button class="big">Open the console</button>
        </p>
      </form>
      <p class="soft small">
        You will be {email}.<br />
        <a href="/sign-in">Sign in as somebody else</a>
      </p>
    </>
  )
}

/** The e-mail of the demo account for a browser on this machine, which may open it with one press; otherwise undefined. */
export function oneClickOf(
  c: PageContext,
  { sandbox, addressOf }: Pick<ConsoleParts, 'sandbox' | 'addressOf'>,
): string | undefined {
  return isFromThisMachine((name) => c.req.header(name), addressOf(c)) ? sandbox?.demo?.email : undefined
}
