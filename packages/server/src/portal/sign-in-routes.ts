import type { Hono } from 'hono'
import { postedForm } from '../platform/pages/forms.ts'
import { notFromHere } from '../platform/pages/not-from-here.ts'
import { goTo, type PageContext, pageReply, retryHeader } from '../platform/pages/reply.ts'
import { noSessionCookie, type Refusal, SUSPENDED, sessionTokenOf, signInBrowser } from './browser-session.ts'
import type { PortalPages } from './pages.ts'
import { PASSWORD_NAME, signInPage } from './sign-in-page.ts'

const FIRST_PAGE = '/messages'

export interface SignInOptions extends PortalPages {
  /** The e-mail of the account that this browser may open with one press, by a form that goes to `/open`. */
  oneClick?: ((c: PageContext) => string | undefined) | undefined
}

/** The routes for signing in to the portal, and out. */
export function mountSignIn(app: Hono, options: SignInOptions): void {
  const { portal, tickets, publicUrl, oneClick } = options
  const tokenOf = (c: PageContext) => sessionTokenOf(c.req.header('cookie'), publicUrl())

  app.get('/sign-in', async (c: PageContext) => {
    const token = tokenOf(c)
    if (await portal.who(token)) return goTo(nextOf(c) ?? FIRST_PAGE)
    return show(c, (await portal.isSuspended(token)) ? { refusal: SUSPENDED } : {})
  })

  app.post('/sign-in', async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) return notFromHere(publicUrl())
    const email = (form.get('email') ?? '').trim()
    const signedIn = await signInBrowser(c, options, { email, password: form.get(PASSWORD_NAME) ?? '' })
    if ('refusal' in signedIn) return show(c, { email, refusal: signedIn.refusal })
    return goTo(nextOf(c) ?? FIRST_PAGE, signedIn.setCookie)
  })

  app.post('/sign-out', async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) return notFromHere(publicUrl())
    const token = tokenOf(c)
    if (token !== undefined) await portal.signOut(token)
    return goTo('/sign-in', noSessionCookie(publicUrl()))
  })

  function show(c: PageContext, { email, refusal }: { email?: string; refusal?: Refusal }): Response {
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const next = nextOf(c)
    const query = next === undefined ? '' : `?next=${encodeURIComponent(next)}`
    const opens = oneClick?.(c)
    const page = signInPage({
      action: `/sign-in${query}`,
      form,
      ...(opens === undefined ? {} : { oneClick: { email: opens, action: `/open${query}` } }),
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

/** The page that the person wanted, if it is one of ours. */
export function nextOf(c: PageContext): string | undefined {
  return localPath(c.req.query('next'))
}

const HERE = 'http://here.invalid'
/** The pages that a sign-in may lead to. None of them sends a browser elsewhere without a click. */
const OUR_PAGES =
  /^\/(?:docs|oauth\/interaction\/[\w-]+|messages(?:\/[\w-]+)?|send(?:\/many(?:\/[\w-]+)?)?|scheduled|insights|wallet|sender-ids|rates|developers|callbacks|keys|connections|sandbox)$/

/** The path and query of an untrusted address, if it is one of our pages; otherwise undefined. */
export function localPath(address: string | undefined): string | undefined {
  if (address === undefined || !/^\/[!-~]*$/.test(address)) return undefined
  const url = URL.parse(address, HERE)
  if (url?.origin !== HERE || !OUR_PAGES.test(url.pathname)) return undefined
  return url.pathname + url.search
}
