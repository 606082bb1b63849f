import type { Hono } from 'hono'
import { Tries } from '../../../net/callers/rate-limit.ts'
import { type FormTicket, postedForm } from '../../../net/pages/forms.tsx'
import type { Markup } from '../../../net/pages/markup.ts'
import { notFromHere } from '../../../net/pages/not-from-here.ts'
import { goTo, PAGE_HEADERS, type PageContext, type ReplyOptions } from '../../../net/pages/reply.ts'
import { newTotpSecret, takesPasskeys } from '../../../sign-in/factors/index.ts'
import type { SessionToken } from '../../../store/secrets/tokens.ts'
import { assetPageReply } from '../../document.tsx'
import { themeOf } from '../../theme.tsx'
import { isFromThisMachine } from '../../this-machine.ts'
import { recoveryCodesPage } from '../../widgets/reception.tsx'
import {
  deskSite,
  linkCookie,
  linkSecretOf,
  noSessionCookie,
  type Refused,
  sessionCookie,
  sessionTokenOf,
} from '../frame/session.ts'
import { type AssetPaths, bareShell, localPath } from '../frame/shell.tsx'
import type { DeskParts } from '../parts.ts'
import { enterPage, noLinkPage, registerPage, signInPage } from './pages.tsx'

/** The limit of one address before anybody has signed in. */
const TRIES = { perSecond: 1, burst: 30 }

/** Where operators come in: by a link the first time, then with a passkey or a code. */
export function mountReception(app: Hono, parts: DeskParts, assets: () => Promise<AssetPaths>): void {
  const { reception, tickets, url, addressOf, config, clock, realClock } = parts
  const tries = new Tries({ ...TRIES, clock })
  const tokenOf = (c: PageContext) => sessionTokenOf(c.req.header('cookie'), url())
  const secretOf = (c: PageContext) => linkSecretOf(c.req.header('cookie'), url()) ?? ''
  const nextOf = (c: PageContext) => localPath(c.req.query('next')) ?? '/'
  const site = () => deskSite(parts)

  /** A form of a page of ours, from an address that has not tried too often. */
  async function formOf(c: PageContext): Promise<URLSearchParams | undefined> {
    tries.count(addressOf(c))
    return postedForm(c, tickets)
  }

  function post(path: string, work: (c: PageContext, form: URLSearchParams) => Promise<Response>): void {
    app.post(path, async (c: PageContext) => {
      const form = await formOf(c)
      return form ? work(c, form) : notFromHere(url(), '/')
    })
  }

  async function show(
    c: PageContext,
    title: string,
    bodyOf: (form: FormTicket) => Markup,
    reply: ReplyOptions = {},
  ): Promise<Response> {
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const html = bareShell({ title, assets: await assets(), theme: themeOf(c), body: bodyOf(form) })
    return assetPageReply(c, html, { setCookie, ...reply })
  }

  function isDemo(c: PageContext): boolean {
    return config.environment === 'sandbox' && isFromThisMachine((name) => c.req.header(name), addressOf(c))
  }

  function showSignIn(c: PageContext, refused?: Refused): Promise<Response> {
    const next = nextOf(c)
    const query = next === '/' ? '' : `?next=${encodeURIComponent(next)}`
    const status = refused === undefined ? 200 : refused.kind === 'locked' ? 429 : 401
    const view = { query, refused, demo: isDemo(c), passkeys: takesPasskeys(url()), now: realClock.now() }
    const { takesGenerators: generators } = site()
    return show(c, 'Sign in', (form) => signInPage({ form, ...view, generators }), { status })
  }

  async function signIn(c: PageContext, proof: Parameters<typeof reception.signIn>[0]): Promise<Response> {
    const result = await reception.signIn(proof, site(), addressOf(c))
    return result.kind === 'in' ? letIn(c, result) : showSignIn(c, result)
  }

  /** A browser has one session: the one before ends. */
  async function letIn(c: PageContext, { token, expiresAt }: SessionToken): Promise<Response> {
    const before = tokenOf(c)
    if (before !== undefined) await reception.signOut(before)
    return goTo(nextOf(c), sessionCookie(token, url(), expiresAt))
  }

  async function register(
    c: PageContext,
    registration: Parameters<typeof reception.register>[1],
  ): Promise<Response> {
    const result = await reception.register(secretOf(c), registration, site(), addressOf(c))
    if (result.kind === 'no link') return show(c, 'This link is no good', noLinkPage, { status: 410 })
    if (result.kind === 'wrong')
      return showRegister(c, 'secret' in registration ? registration.secret : undefined)
    const setCookie = sessionCookie(result.token, url(), result.expiresAt)
    const { recoveryCodes: codes, operator } = result
    const made = { codes, whose: [`Operator ${operator.name}`], at: realClock.now() }
    return show(c, 'Recovery codes', () => recoveryCodesPage(made, '/'), { setCookie })
  }

  /** With the secret of a generator, if the code for it was wrong. */
  async function showRegister(c: PageContext, wrongFor?: string): Promise<Response> {
    const operator = await reception.linked(secretOf(c))
    if (!operator) return show(c, 'This link is no good', noLinkPage, { status: 410 })
    const view = { operator, secret: wrongFor ?? newTotpSecret(), isWrong: wrongFor !== undefined }
    const [passkeys, generators] = [takesPasskeys(url()), site().takesGenerators]
    return show(c, 'Welcome', (form) => registerPage({ form, ...view, passkeys, generators }), {
      status: wrongFor === undefined ? 200 : 422,
    })
  }

  app.get('/sign-in', async (c: PageContext) =>
    (await reception.who(tokenOf(c))) ? goTo(nextOf(c)) : showSignIn(c),
  )
  post('/sign-in', async (c, form) => {
    const [name, code] = [(form.get('name') ?? '').trim(), form.get('code') ?? '']
    return signIn(c, { name, code })
  })
  post('/sign-in/passkey', (c, form) => signIn(c, { passkey: form.get('passkey') ?? '' }))
  post('/sign-out', async (c) => {
    const token = tokenOf(c)
    if (token !== undefined) await reception.signOut(token)
    return goTo('/sign-in', noSessionCookie(url()))
  })
  if (config.environment === 'sandbox')
    post('/open', async (c) =>
      isDemo(c) ? letIn(c, await reception.openDemo(addressOf(c))) : notFromHere(url(), '/'),
    )

  app.get('/enter', (c: PageContext) => show(c, 'Welcome', enterPage))
  post('/enter', async (_, form) => goTo('/register', linkCookie(secretIn(form.get('link') ?? ''), url())))
  app.get('/register', (c: PageContext) => showRegister(c))
  post('/register/passkey', (c, form) => register(c, { passkey: form.get('passkey') ?? '' }))
  post('/register/code', (c, form) =>
    register(c, { secret: form.get('secret') ?? '', code: form.get('code') ?? '' }),
  )

  post('/passkey/sign-in', async () => json(await reception.request(undefined, site())))
  post('/passkey/prove', async (c) => {
    const operator = await reception.who(tokenOf(c))
    return operator ? json(await reception.request(operator, site())) : goTo('/sign-in')
  })
  post('/passkey/register', async (c) => {
    const operator = await reception.linked(secretOf(c))
    return operator ? json(await reception.creation(operator, site())) : goTo('/register')
  })
}

/** People may paste the whole link. */
function secretIn(link: string): string {
  return /wl_[\w-]{43}/.exec(link)?.[0] ?? ''
}

/** For the script, which asks the browser for a passkey with it. */
function json(options: object): Response {
  return Response.json(options, { headers: PAGE_HEADERS })
}
