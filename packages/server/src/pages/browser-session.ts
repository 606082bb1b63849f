import type { EpochMs } from '../domain/ids.ts'
import type { Person, Portal, SignInResult } from '../gateway/sign-in.ts'
import type { PageContext } from './page-context.ts'
import { PASSWORD_NAME } from './password-field.ts'
import { sessionCookie, sessionTokenOf } from './session-cookie.ts'

export interface BrowserSessionOptions {
  portal: Pick<Portal, 'signIn' | 'signOut'>
  publicUrl(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  clock: { now(): EpochMs }
}

/** Why a password was not taken, as a page says it. */
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

/** Signs a browser in. Its previous session ends, and the new one has a new token. */
export async function signInBrowser(
  c: PageContext,
  { portal, publicUrl, addressOf, clock }: BrowserSessionOptions,
  { email, password }: { email: string; password: string },
): Promise<SignedIn | { refusal: Refusal }> {
  const result = await portal.signIn({ email, password, address: addressOf(c) })
  if (result.kind !== 'in') return { refusal: refusalOf(result, clock.now()) }
  const before = sessionTokenOf(c.req.header('cookie'), publicUrl())
  if (before !== undefined) await portal.signOut(before)
  return { setCookie: sessionCookie(result.token, publicUrl(), result.expiresAt) }
}

/**
 * Asks for the password before a form lets an assistant send, since a browser may have been left open. The password is
 * tried by signing in with it, so it counts and is limited like any other attempt.
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

function refusalOf(result: Exclude<SignInResult, { kind: 'in' }>, now: EpochMs): Refusal {
  switch (result.kind) {
    case 'wrong':
      return { status: 401, error: 'The e-mail or the password is not right.' }
    case 'suspended':
      return { status: 403, error: 'This account is suspended. Please ask the operator of this service.' }
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
