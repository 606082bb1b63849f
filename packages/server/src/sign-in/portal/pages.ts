import { randomBytes } from 'node:crypto'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import type { OperatorContact } from '../../kernel/operator-contact.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { type ProxyWarnings, TrustedProxies } from '../../net/callers/client-address.ts'
import { cookieKind, readCookie, writeCookie } from '../../net/pages/cookie.ts'
import { createFormTickets, type FormTickets } from '../../net/pages/forms.tsx'
import type { PageContext } from '../../net/pages/reply.ts'
import { waitUntil } from '../../net/pages/times.tsx'
import type { KeyFor } from '../../store/secrets/sealing.ts'
import type { SessionToken } from '../../store/secrets/tokens.ts'
import { type Site, siteOf } from '../factors/index.ts'
import type { Portal, Session, SignInResult } from './portal.ts'
import type { ProveResult } from './proof.ts'
import type { From } from './sessions.ts'
import type { SignIn } from './wiring.ts'

/** Parts that every page for a signed-in person needs. */
export interface PortalPages extends SignIn {
  /** How customers reach who runs the gateway. */
  operator: OperatorContact
  tickets: FormTickets
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  /** The site that passkeys belong to. */
  site(): Site
  /** By which sessions and links end: a sandbox's clock may be moved. */
  realClock: Pick<Clock, 'now'>
}

export function pagesOf(
  signIn: SignIn,
  parts: {
    operator: OperatorContact
    publicUrl(): string
    realClock: Pick<Clock, 'now'>
    keyFor: KeyFor
    /** Address ranges of the proxies whose `X-Forwarded-For` is trusted. */
    trustedProxies: readonly string[]
    proxyWarnings: ProxyWarnings
  },
): PortalPages {
  const { operator, publicUrl, realClock, keyFor } = parts
  const clientAddress = new TrustedProxies(parts.trustedProxies, parts.proxyWarnings).clientAddress
  return {
    ...signIn,
    operator,
    publicUrl,
    realClock,
    site: () => siteOf(publicUrl(), 'Wigwag'),
    tickets: createFormTickets({ key: keyFor('form tickets'), publicUrl, randomBytes }),
    addressOf: (c) => clientAddress(c.env?.incoming?.socket.remoteAddress, c.req.header('x-forwarded-for')),
  }
}

/** Why a sign-in was refused, as a page shows it. */
export interface Refusal {
  status: number
  error: string
  /** In seconds. */
  retryAfter?: number
}

const BUSY_SECONDS = 5

/** Signs a browser in with a new token. Ends its previous session. */
export async function signInBrowser(
  c: PageContext,
  {
    portal,
    publicUrl,
    addressOf,
    realClock,
  }: Pick<PortalPages, 'publicUrl' | 'addressOf' | 'realClock'> & {
    portal: Pick<Portal, 'signIn' | 'signOut'>
  },
  { email, password }: { email: string; password: string },
): Promise<Session | { refusal: Refusal }> {
  const result = await portal.signIn({ email, password, ...fromOf(c, addressOf(c)) })
  if (result.kind !== 'in')
    return { refusal: refusalOf(result, realClock.now(), 'The e-mail or the password is not right.') }
  await keepSession(c, { portal, publicUrl }, result)
  return result
}

/** Where a browser comes from. */
export function fromOf(c: PageContext, address: string): From {
  return { address, browser: c.req.header('user-agent') }
}

/** Gives a browser a new session, with whatever is answered. Ends its previous one. */
export async function keepSession(
  c: PageContext,
  { portal, publicUrl }: { portal: Pick<Portal, 'signOut'>; publicUrl(): string },
  session: SessionToken,
): Promise<void> {
  keepToken(c, publicUrl(), session)
  const before = sessionTokenOf(c.req.header('cookie'), publicUrl())
  if (before !== undefined) await portal.signOut(before)
}

/** Gives a browser the new token of its session, with whatever is answered. */
export function keepToken(c: PageContext, publicUrl: string, { token, expiresAt }: SessionToken): void {
  c.set('keptCookie', sessionCookie(token, publicUrl, expiresAt))
}

/** Only for a person who gave the right password, or has a session of the account. */
export const SUSPENDED: Refusal = {
  status: 403,
  error: 'This account is suspended. Please ask the operator of this service.',
}

/** A failed sign-in or proof, as a page shows it. */
export function refusalOf(
  result: Exclude<SignInResult | ProveResult, { kind: 'in' } | { kind: 'right' }>,
  now: EpochMs,
  wrong = 'That did not fit. Nothing was done yet.',
): Refusal {
  switch (result.kind) {
    case 'wrong':
      return { status: 401, error: wrong }
    case 'suspended':
      return SUSPENDED
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

/** Of a password that was not set: too many wait already, or another is being set for the same person or link. */
export const PASSWORD_BUSY: Refusal = {
  status: 503,
  error: 'Other passwords are being set right now, and this one was not. Please try again in a moment.',
  retryAfter: BUSY_SECONDS,
}

function later(why: string, until: EpochMs, now: EpochMs): Refusal {
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000))
  return { status: 429, error: `${why} Please try again in ${waitUntil(until, now)}.`, retryAfter: seconds }
}

const NAME = 'wigwag_portal'
const LONGEST = 256

/** The cookie that keeps a person signed in. */
export function sessionCookie(token: string, publicUrl: string, expiresAt: EpochMs): string {
  return writeCookie(cookieKind(NAME, publicUrl), token, new Date(expiresAt))
}

/** The cookie that deletes the session cookie. */
export function noSessionCookie(publicUrl: string): string {
  return sessionCookie('', publicUrl, epochMs(0))
}

/** The session token in a browser's cookies, not yet checked. */
export function sessionTokenOf(cookieHeader: string | undefined, publicUrl: string): string | undefined {
  const token = readCookie(cookieKind(NAME, publicUrl), cookieHeader)
  return token && token.length <= LONGEST ? token : undefined
}

/** The page that the person wanted, if it is one of ours. */
export function nextOf(c: PageContext): string | undefined {
  return localPath(c.req.query('next'))
}

const HERE = 'http://here.invalid'
/** The pages that a sign-in may lead to. None of them sends a browser elsewhere without a click. */
const OUR_PAGES =
  /^\/(?:docs|oauth\/interaction\/[\w-]+|messages(?:\/[\w-]+)?|send(?:\/many(?:\/[\w-]+)?)?|scheduled|insights|wallet|sender-ids|rates|developers|callbacks|keys|connections|people|you|log|sandbox|join|prove|accounts)$/

/** The path and query of an untrusted address, if it is one of our pages; otherwise undefined. */
export function localPath(address: string | undefined): string | undefined {
  if (address === undefined || !/^\/[!-~]*$/.test(address)) return undefined
  const url = URL.parse(address, HERE)
  if (url?.origin !== HERE || !OUR_PAGES.test(url.pathname)) return undefined
  return url.pathname + url.search
}
