import type { Hono } from 'hono'
import { type Refusal, signInBrowser } from '../pages/browser-session.ts'
import type { PageContext } from '../pages/page-context.ts'
import { PASSWORD_NAME } from '../pages/password-field.ts'
import { postedForm } from '../pages/posted-form.ts'
import { goTo, pageReply, retryHeader } from '../pages/reply.ts'
import { noSessionCookie, sessionTokenOf } from '../pages/session-cookie.ts'
import { signInPage } from '../pages/sign-in.ts'
import { localPath } from './local-path.ts'
import type { ConsoleOptions } from './options.ts'
import { notFromHere } from './refusals.ts'

const FIRST_PAGE = '/connections'

/** Where people sign in to the portal, and out. */
export function mountSignIn(app: Hono, options: ConsoleOptions): void {
  const { portal, tickets, publicUrl } = options
  const tokenOf = (c: PageContext) => sessionTokenOf(c.req.header('cookie'), publicUrl())

  app.get('/sign-in', async (c: PageContext) => {
    const person = await portal.who(tokenOf(c))
    return person ? goTo(nextOf(c) ?? FIRST_PAGE) : show(c, {})
  })

  app.post('/sign-in', async (c: PageContext) => {
    const form = await postedForm(c.req, tickets)
    if (!form) return notFromHere(publicUrl())
    const email = (form.get('email') ?? '').trim()
    const signedIn = await signInBrowser(c, options, { email, password: form.get(PASSWORD_NAME) ?? '' })
    if ('refusal' in signedIn) return show(c, { email, refusal: signedIn.refusal })
    return goTo(nextOf(c) ?? FIRST_PAGE, signedIn.setCookie)
  })

  app.post('/sign-out', async (c: PageContext) => {
    const form = await postedForm(c.req, tickets)
    if (!form) return notFromHere(publicUrl())
    const token = tokenOf(c)
    if (token !== undefined) await portal.signOut(token)
    return goTo('/sign-in', noSessionCookie(publicUrl()))
  })

  function show(c: PageContext, { email, refusal }: { email?: string; refusal?: Refusal }): Response {
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const next = nextOf(c)
    const page = signInPage({
      action: next === undefined ? '/sign-in' : `/sign-in?next=${encodeURIComponent(next)}`,
      form,
      ...(email === undefined ? {} : { email }),
      ...(refusal === undefined ? {} : { error: refusal.error }),
    })
    return pageReply(page, {
      status: refusal?.status ?? 200,
      setCookie,
      headers: retryHeader(refusal?.retryAfter),
    })
  }
}

/** Where the person wanted to go. Only ever a place of ours. */
function nextOf(c: PageContext): string | undefined {
  return localPath(c.req.query('next'))
}
