import type { Hono } from 'hono'
import { newTotpSecret, takesPasskeys } from '../../factors/index.ts'
import { assetPageReply } from '../../pages/reply.ts'
import { themeOf } from '../../pages/theme.ts'
import { isCarried, proofIn, proofSheet } from '../../pages/widgets/proof.ts'
import { Tries } from '../../platform/http/tries.ts'
import { type FormTicket, postedForm } from '../../platform/pages/forms.ts'
import type { Markup } from '../../platform/pages/markup.ts'
import { notFromHere } from '../../platform/pages/not-from-here.ts'
import {
  carryOn,
  goTo,
  PAGE_HEADERS,
  type PageContext,
  type ReplyOptions,
  retryHeader,
  withKept,
} from '../../platform/pages/reply.ts'
import {
  fromOf,
  keepSession,
  keepToken,
  nextOf,
  noSessionCookie,
  PASSWORD_BUSY,
  passwordMistake,
  type Refusal,
  refusalOf,
  type Session,
  SUSPENDED,
  sessionTokenOf,
  signInBrowser,
} from '../../portal/index.ts'
import type { AssetPaths } from '../frame/asset-paths.ts'
import { bareShell } from '../frame/shell.ts'
import type { ConsoleParts } from '../parts.ts'
import { accountsPage } from './accounts-page.ts'
import { invitedPage, joinPage, noLinkPage } from './join-page.ts'
import { linkCookie, linkSecretOf } from './link-cookie.ts'
import { getPage, recoveryCodesPage, secondPage } from './second-page.ts'
import { signInPage } from './sign-in-page.ts'

const FIRST_PAGE = '/messages'
const SIGN_IN_FIRST = 'This address signs in here already. Nothing was changed: sign in as it, then join.'
/**
 * What one address may try of passkeys, codes and links: a whole office may come in at once. Guesses are bounded by person,
 * and passwords have limits of their own.
 */
const TRIES = { perSecond: 5, burst: 100 }

export interface ReceptionParts extends ConsoleParts {
  assets(): Promise<AssetPaths>
  /** The e-mail of the account that this browser may open with one press, by a form that goes to `/open`. */
  oneClick(c: PageContext): string | undefined
}

/** Where people come in: sign-in, the second factor, the links of invitations, and the choice of an account. */
export function mountReception(app: Hono, parts: ReceptionParts): void {
  const { portal, proofs, factors, joining, tickets, publicUrl, addressOf, site } = parts
  const { clock, realClock, assets } = parts
  const tries = new Tries({ ...TRIES, clock })
  const tokenOf = (c: PageContext) => sessionTokenOf(c.req.header('cookie'), publicUrl())
  const secretOf = (c: PageContext) => linkSecretOf(c.req.header('cookie'), publicUrl()) ?? ''
  const from = (c: PageContext) => fromOf(c, addressOf(c))
  const wrong = (result: Parameters<typeof refusalOf>[0], words?: string) =>
    refusalOf(result, realClock.now(), words)

  /** What follows the addresses of forms, so that the person gets to the page that they wanted. */
  function queryOf(c: PageContext): string {
    const next = nextOf(c)
    return next === undefined ? '' : `?next=${encodeURIComponent(next)}`
  }

  async function show(
    c: PageContext,
    title: string,
    bodyOf: (form: FormTicket) => Markup,
    { refusal, ...reply }: ReplyOptions & { refusal?: Refusal | undefined } = {},
  ): Promise<Response> {
    const { form, setCookie } = tickets.issue(c.req.header('cookie'))
    const page = {
      title: refusal ? `Error: ${title}` : title,
      ...{ assets: await assets(), theme: themeOf(c), body: bodyOf(form), sandbox: parts.sandbox },
    }
    return assetPageReply(c, bareShell(page), {
      ...{ setCookie, status: refusal?.status ?? 200, headers: retryHeader(refusal?.retryAfter) },
      ...reply,
    })
  }

  /** What a form of one of our pages posts, from an address that has not tried too often. */
  function post(path: string, work: (c: PageContext, form: URLSearchParams) => Promise<Response>): void {
    app.post(path, async (c: PageContext) => {
      tries.count(addressOf(c))
      const form = await postedForm(c, tickets)
      return form ? withKept(c, await work(c, form)) : notFromHere(publicUrl())
    })
  }

  /** After somebody showed who they are: to what is still asked, to the choice of an account, or in. */
  function goOn(c: PageContext, { state, accounts }: Pick<Session, 'state' | 'accounts'>): Response {
    const query = queryOf(c)
    if (state !== 'in') return goTo(`/second${query}`)
    return goTo(accounts > 1 ? `/accounts${query}` : (nextOf(c) ?? FIRST_PAGE))
  }

  async function goIn(c: PageContext, token: string): Promise<Response> {
    const person = await portal.who(token)
    const accounts = person ? (await portal.accounts(person.personId)).length : 1
    return goOn(c, { state: 'in', accounts })
  }

  function showSignIn(
    c: PageContext,
    { email, refusal }: { email?: string; refusal?: Refusal | undefined } = {},
  ): Promise<Response> {
    const view = { query: queryOf(c), email, error: refusal?.error, oneClick: parts.oneClick(c) }
    const passkeys = takesPasskeys(publicUrl())
    return show(c, 'Sign in', (form) => signInPage({ form, ...view, passkeys }), { refusal })
  }

  app.get('/sign-in', async (c: PageContext) => {
    const token = tokenOf(c)
    if (token !== undefined && (await portal.who(token))) return goTo(nextOf(c) ?? FIRST_PAGE)
    if (await proofs.half(token)) return goTo(`/second${queryOf(c)}`)
    return showSignIn(c, { refusal: (await portal.isSuspended(token)) ? SUSPENDED : undefined })
  })

  app.post('/sign-in', async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) return notFromHere(publicUrl())
    const email = (form.get('email') ?? '').trim()
    const signedIn = await signInBrowser(c, parts, { email, password: form.get('password') ?? '' })
    if ('refusal' in signedIn) return showSignIn(c, { email, refusal: signedIn.refusal })
    return withKept(c, goOn(c, signedIn))
  })

  post('/sign-in/passkey', async (c, form) => {
    const result = await proofs.signIn(form.get('passkey') ?? '', site(), from(c))
    if (result.kind !== 'in')
      return showSignIn(c, { refusal: wrong(result, 'This passkey is nobody’s here, or not any more.') })
    await keepSession(c, parts, result)
    return goOn(c, result)
  })

  app.post('/sign-out', async (c: PageContext) => {
    const form = await postedForm(c, tickets)
    if (!form) return notFromHere(publicUrl())
    const token = tokenOf(c)
    if (token !== undefined) await portal.signOut(token)
    return goTo('/sign-in', noSessionCookie(publicUrl()))
  })

  /** What is still asked of somebody whose password was right. */
  async function showSecond(c: PageContext, refusal?: Refusal, secret?: string): Promise<Response> {
    const half = await proofs.half(tokenOf(c))
    if (!half) return goTo(`/sign-in${queryOf(c)}`)
    const view = { query: queryOf(c), error: refusal?.error }
    if (half.state === 'show')
      return show(c, 'One more step', (form) => secondPage({ form, ...view }), { refusal })
    const { name: account, email } = half
    const more = { account, email, secret: secret ?? newTotpSecret(), passkeys: takesPasskeys(publicUrl()) }
    return show(c, 'One more step', (form) => getPage({ form, ...view, ...more }), { refusal })
  }

  app.get('/second', (c: PageContext) => showSecond(c))
  post('/second', async (c, form) => {
    const [token, proof] = [tokenOf(c), proofIn(form)]
    if (token === undefined || !proof) return showSecond(c)
    const result = await proofs.show(token, proof, site())
    if (result.kind !== 'right')
      return showSecond(
        c,
        wrong(result, 'That did not fit: the passkey or the code is not yours, or was used.'),
      )
    keepToken(c, publicUrl(), result)
    return goIn(c, result.token)
  })
  post('/second/get', async (c, form) => {
    const token = tokenOf(c)
    const half = await proofs.half(token)
    if (token === undefined || half?.state !== 'get') return showSecond(c)
    const registration = registrationIn(form)
    const result = await factors.add({ ...half, token }, registration, site())
    if (result.kind === 'wrong') {
      const words = 'That did not fit. If it was a code: is the clock of the device right?'
      return showSecond(c, { status: 422, error: words }, form.get('secret') ?? undefined)
    }
    keepToken(c, publicUrl(), result)
    const codes = result.recoveryCodes ?? []
    return show(c, 'Recovery codes', () => recoveryCodesPage(codes, nextOf(c) ?? FIRST_PAGE))
  })

  /** Has somebody who is in show again who they are, for the page that sent them here, with its form if there is one. */
  async function showProve(c: PageContext, form: URLSearchParams, refusal?: Refusal): Promise<Response> {
    const person = await portal.who(tokenOf(c))
    if (!person) return goTo(`/sign-in${queryOf(c)}`)
    const by = await proofs.asks(person.personId)
    const view = { action: `/prove${queryOf(c)}`, form, by, options: '/passkey/prove' }
    const leave = FIRST_PAGE
    return show(c, 'Is it you?', (ticket) => proofSheet({ ...view, ticket, error: refusal?.error, leave }), {
      refusal,
    })
  }

  app.get('/prove', (c: PageContext) => showProve(c, new URLSearchParams()))
  post('/prove', async (c, form) => {
    const [token, proof] = [tokenOf(c), proofIn(form)]
    if (token === undefined || !proof) return showProve(c, form)
    const result = await proofs.prove(token, proof, site(), addressOf(c))
    if (result.kind !== 'right') return showProve(c, form, wrong(result))
    keepToken(c, publicUrl(), result)
    const next = nextOf(c) ?? FIRST_PAGE
    return isCarried(form) ? carryOn(next) : goTo(next)
  })

  app.get('/accounts', async (c: PageContext) => {
    const person = await portal.who(tokenOf(c))
    if (!person) return goTo(`/sign-in${queryOf(c)}`)
    const accounts = await portal.accounts(person.personId)
    return show(c, 'Which account?', (form) => accountsPage(form, accounts, queryOf(c)))
  })
  post('/accounts', async (c, form) => {
    const token = tokenOf(c)
    const state = token && (await portal.choose(token, form.get('account') ?? ''))
    if (!state) return goTo(`/accounts${queryOf(c)}`)
    return goOn(c, { state, accounts: 1 })
  })

  /** The page of an invitation. */
  async function showJoin(c: PageContext, refusal?: Refusal): Promise<Response> {
    const invited = await joining.invited(secretOf(c))
    if (!invited) return show(c, 'This link is no good', noLinkPage, { status: 410 })
    const person = await portal.who(tokenOf(c))
    const more = { error: refusal?.error, passkeys: takesPasskeys(publicUrl()) }
    const view = { invited, signedInAs: person?.email, ...more }
    return show(c, 'Join', (form) => joinPage({ form, ...view }), { refusal })
  }

  async function begin(c: PageContext, proof: Parameters<typeof joining.begin>[1]): Promise<Response> {
    const result = await joining.begin(secretOf(c), proof, site(), from(c))
    if (result.kind === 'busy') return showJoin(c, PASSWORD_BUSY)
    if (result.kind === 'sign in') return showJoin(c, unfit(SIGN_IN_FIRST))
    if (result.kind === 'not taken') return showJoin(c, unfit('That did not fit. Try again.'))
    if (result.kind === 'no link') return show(c, 'This link is no good', noLinkPage, { status: 410 })
    if (result.kind !== 'in') return showSignIn(c, { refusal: wrong(result) })
    await keepSession(c, parts, result)
    const codes = result.recoveryCodes
    if (codes === undefined) return goOn(c, result)
    return show(c, 'Recovery codes', () => recoveryCodesPage(codes, FIRST_PAGE))
  }

  app.get('/invited', (c: PageContext) => show(c, 'You are invited', invitedPage))
  post('/invited', async (_, form) =>
    goTo('/join', linkCookie(secretIn(form.get('link') ?? ''), publicUrl())),
  )
  app.get('/join', (c: PageContext) => showJoin(c))
  post('/join/password', async (c, form) => {
    const password = form.get('password') ?? ''
    const mistake = passwordMistake(password)
    return mistake === undefined ? begin(c, { password }) : showJoin(c, unfit(mistake))
  })
  post('/join/passkey', (c, form) => begin(c, { passkey: form.get('passkey') ?? '', name: '' }))
  post('/join/accept', async (c) => {
    const [token, person] = [tokenOf(c), await portal.who(tokenOf(c))]
    const accountId = (await joining.invited(secretOf(c)))?.accountId
    if (token === undefined || !person) return goTo('/sign-in?next=/join')
    if (!(await joining.accept(secretOf(c), person)))
      return showJoin(c, unfit('This invitation is not for you.'))
    const state = accountId === undefined ? undefined : await portal.choose(token, accountId)
    return goOn(c, { state: state ?? 'in', accounts: 1 })
  })

  post('/passkey/sign-in', async () => json(await proofs.request(undefined, site())))
  post('/passkey/second', async (c) => {
    const half = await proofs.half(tokenOf(c))
    return half ? json(await proofs.request(half.personId, site())) : goTo('/sign-in')
  })
  post('/passkey/prove', async (c) => {
    const person = await portal.who(tokenOf(c))
    return person ? json(await proofs.request(person.personId, site())) : goTo('/sign-in')
  })
  post('/passkey/add', async (c) => {
    const person = (await portal.who(tokenOf(c))) ?? (await proofs.half(tokenOf(c)))
    // Who has to show one may not add another.
    if (!person || ('state' in person && person.state === 'show')) return goTo('/sign-in')
    return json(await factors.creation(person, site()))
  })
  post('/passkey/join', async (c) => {
    const options = await joining.creation(secretOf(c), site())
    return options ? json(options) : goTo('/join')
  })
}

/** What somebody takes on, as a form says it. */
export function registrationIn(form: URLSearchParams): Parameters<ConsoleParts['factors']['add']>[1] {
  const passkey = form.get('passkey') ?? ''
  if (passkey !== '') return { passkey, name: form.get('name') ?? '' }
  return { secret: form.get('secret') ?? '', code: form.get('code') ?? '' }
}

/** What a page says of a form that can't be taken as it is. */
export function unfit(error: string): Refusal {
  return { status: 422, error }
}

/** People may paste the whole link. */
function secretIn(link: string): string {
  return /wi_[\w-]{43}/.exec(link)?.[0] ?? ''
}

/** For the script, which asks the browser for a passkey with it. */
function json(options: object): Response {
  return Response.json(options, { headers: PAGE_HEADERS })
}
