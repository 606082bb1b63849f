import { type EpochMs, epochMs } from '../domain/ids.ts'
import { cookiePlace, readCookie, writeCookie } from '../platform/pages/cookie.ts'
import type { PageContext } from '../platform/pages/reply.ts'
import type { Person, Portal, Session, SignInResult } from './portal.ts'
import { PASSWORD_NAME } from './sign-in-page.ts'

export interface BrowserSessionOptions {
  portal: Pick<Portal, 'signIn' | 'signOut'>
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  clock: { now(): EpochMs }
}

/** Why a sign-in was refused, as a page shows it. */
export interface Refusal {
  status: number
  error: string
  /** In seconds. */
  retryAfter?: number
}

export interface SignedIn {
  /** The cookie of the new session; undefined when the session has not changed. */
  setCookie: string | undefined
}

const BUSY_SECONDS = 5

/** Signs a browser in with a new token. Ends its previous session. */
export async function signInBrowser(
  c: PageContext,
  { portal, publicUrl, addressOf, clock }: BrowserSessionOptions,
  { email, password }: { email: string; password: string },
): Promise<SignedIn | { refusal: Refusal }> {
  const result = await portal.signIn({ email, password, address: addressOf(c) })
  if (result.kind !== 'in') return { refusal: refusalOf(result, clock.now()) }
  return { setCookie: await keepSession(c, { portal, publicUrl }, result) }
}

/** The cookie that gives a browser a new session. Ends its previous one. */
export async function keepSession(
  c: PageContext,
  { portal, publicUrl }: { portal: Pick<Portal, 'signOut'>; publicUrl(): string },
  { token, expiresAt }: Session,
): Promise<string> {
  const cookie = sessionCookie(token, publicUrl(), expiresAt)
  // A failure after this would otherwise sign the person out.
  c.set('keptCookie', cookie)
  const before = sessionTokenOf(c.req.header('cookie'), publicUrl())
  if (before !== undefined) await portal.signOut(before)
  return cookie
}

/**
 * Checks the password before a form lets an assistant send, since a browser may have been left open. Checking is a
 * sign-in, so it counts against the same limits.
 */
export async function confirmPerson(
  c: PageContext,
  options: BrowserSessionOptions,
  { email, justSignedIn }: Person,
  form: URLSearchParams,
): Promise<SignedIn | { refusal: Refusal }> {
  if (justSignedIn) return { setCookie: undefined }
  const password = form.get(PASSWORD_NAME) ?? ''
  if (password === '') return { refusal: { status: 422, error: 'Expected your password, got nothing.' } }
  const confirmed = await signInBrowser(c, options, { email, password })
  if (!('refusal' in confirmed) || confirmed.refusal.status !== 401) return confirmed
  return { refusal: { ...confirmed.refusal, error: 'The password is not right.' } }
}

/** Only for a person who gave the right password, or has a session of the account. */
export const SUSPENDED: Refusal = {
  status: 403,
  error: 'This account is suspended. Please ask the operator of this service.',
}

function refusalOf(result: Exclude<SignInResult, { kind: 'in' }>, now: EpochMs): Refusal {
  switch (result.kind) {
    case 'wrong':
      return { status: 401, error: 'The e-mail or the password is not right.' }
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

function later(why: string, until: EpochMs, now: EpochMs): Refusal {
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000))
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return { status: 429, error: `${why} Please try again in ${wait}.`, retryAfter: seconds }
}

const NAME = 'wigwag_portal'
const LONGEST = 256

/** The cookie that keeps a person signed in. */
export function sessionCookie(token: string, publicUrl: string, expiresAt: EpochMs): string {
  return writeCookie(cookiePlace(NAME, publicUrl), token, new Date(expiresAt))
}

/** The cookie that deletes the session cookie. */
export function noSessionCookie(publicUrl: string): string {
  return sessionCookie('', publicUrl, epochMs(0))
}

/** The session token in a browser's cookies, not yet checked. */
export function sessionTokenOf(cookieHeader: string | undefined, publicUrl: string): string | undefined {
  const token = readCookie(cookiePlace(NAME, publicUrl), cookieHeader)
  return token && token.length <= LONGEST ? token : undefined
}
