import type { Hono } from 'hono'
import { LARGEST_FORM, postedForm } from '../platform/pages/forms.ts'
import { goTo, type PageContext, pageReply, retryHeader } from '../platform/pages/reply.ts'
import { noSessionCookie, type Refusal, sessionTokenOf, signInBrowser } from './browser-session.ts'
import { formLimit, notFromHere, type PortalPages } from './pages.ts'
import { PASSWORD_NAME, signInPage } from './sign-in-page.ts'

const FIRST_PAGE = '/messages'

/** The routes for signing in to the portal, and out. */
export function mountSignIn(app: Hono, options: PortalPages): void {
  const { portal, tickets, publicUrl } = options
  const tokenOf = (c: PageContext) => sessionTokenOf(c.req.header('cookie'), publicUrl())

  app.get('/sign-in', async (c: PageContext) => {
    const person = await portal.who(tokenOf(c))
    return person ? goTo(nextOf(c) ?? FIRST_PAGE) : show(c, {})
  })

  app.post('/sign-in', formLimit(LARGEST_FORM), async (c: PageContext) => {
    const form = await postedForm(c.req, tickets)
    if (!form) return notFromHere(publicUrl())
    const email = (form.get('email') ?? '').trim()
    const signedIn = await signInBrowser(c, options, { email, password: form.get(PASSWORD_NAME) ?? '' })
    if ('refusal' in signedIn) return show(c, { email, refusal: signedIn.refusal })
    return goTo(nextOf(c) ?? FIRST_PAGE, signedIn.setCookie)
  })

  app.post('/sign-out', formLimit(LARGEST_FORM), async (c: PageContext) => {
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

/** The page that the person wanted, if it is one of ours. */
function nextOf(c: PageContext): string | undefined {
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
