import type { Hono } from 'hono'
import type { EpochMs } from '../domain/ids.ts'
import type { SignInResult } from '../gateway/sign-in.ts'
import type { PageContext } from '../pages/page-context.ts'
import { postedForm } from '../pages/posted-form.ts'
import { goTo, pageReply } from '../pages/reply.ts'
import { noSessionCookie, sessionCookie, sessionTokenOf } from '../pages/session-cookie.ts'
import { signInPage } from '../pages/sign-in.ts'
import { localPath } from './local-path.ts'
import type { ConsoleOptions } from './options.ts'
import { notFromHere } from './refusals.ts'

const FIRST_PAGE = '/connections'
const BUSY_SECONDS = 5

interface Refusal {
  status: number
  error: string
  retryAfter?: number
}

/** Where people sign in to the portal, and out. */
export function mountSignIn(app: Hono, options: ConsoleOptions): void {
  const { portal, tickets, publicUrl, addressOf, clock } = options
  const tokenOf = (c: PageContext) => sessionTokenOf(c.req.header('cookie'), publicUrl())

  app.get('/sign-in', async (c: PageContext) => {
    const person = await portal.who(tokenOf(c))
    return person ? goTo(nextOf(c) ?? FIRST_PAGE) : show(c, {})
  })

  app.post('/sign-in', async (c: PageContext) => {
    const form = await postedForm(c.req, tickets)
    if (!form) return notFromHere(publicUrl())
    const email = (form.get('email') ?? '').trim()
    const result = await portal.signIn({ email, password: form.get('password') ?? '', address: addressOf(c) })
    if (result.kind !== 'in') return show(c, { email, refusal: refusalOf(result, clock.now()) })
    // Whoever was signed in here before is so no more: this browser has one session, and its token is new.
    const before = tokenOf(c)
    if (before !== undefined) await portal.signOut(before)
    return goTo(nextOf(c) ?? FIRST_PAGE, sessionCookie(result.token, publicUrl(), result.expiresAt))
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
    const { retryAfter } = refusal ?? {}
    return pageReply(page, {
      status: refusal?.status ?? 200,
      setCookie,
      ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
    })
  }
}

/** Where the person wanted to go. Only ever a place of ours. */
function nextOf(c: PageContext): string | undefined {
  return localPath(c.req.query('next'))
}

function refusalOf(result: Exclude<SignInResult, { kind: 'in' }>, now: EpochMs): Refusal {
  switch (result.kind) {
    case 'wrong':
      return { status: 401, error: 'The e-mail or the password is not right.' }
    case 'suspended':
      return { status: 403, error: 'This account is suspended. Please ask whoever runs this service.' }
    case 'locked':
      return later('There were too many failed attempts with this e-mail.', result.until, now)
    case 'too_many':
      return later('There were too many attempts from your network.', result.until, now)
    case 'busy': {
      const error = 'Many people are signing in right now. Please try again in a moment.'
      return { status: 503, error, retryAfter: BUSY_SECONDS }
    }
  }
}

function later(why: string, until: EpochMs, now: EpochMs): Refusal {
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000))
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return { status: 429, error: `${why} Please try again in ${wait}.`, retryAfter: seconds }
}
