import { type EpochMs, epochMs } from '../../domain/ids.ts'
import { cookieKind, readCookie, writeCookie } from '../../platform/pages/cookie.ts'

/** Other names than the console's: sites on one host share their cookies, whatever their ports. */
const SESSION = 'wigwag_desk'
const LINK = 'wigwag_desk_link'
const LONGEST = 256

/** The cookie that keeps an operator signed in. */
export function sessionCookie(token: string, url: string, expiresAt: EpochMs): string {
  return writeCookie(cookieKind(SESSION, url), token, new Date(expiresAt))
}

export function noSessionCookie(url: string): string {
  return sessionCookie('', url, epochMs(0))
}

/** The session token in a browser's cookies, not yet checked. */
export function sessionTokenOf(header: string | undefined, url: string): string | undefined {
  return cookieOf(SESSION, header, url)
}

/** Keeps the secret of a link while its owner registers; until the browser is closed. */
export function linkCookie(secret: string, url: string): string {
  return writeCookie(cookieKind(LINK, url), secret)
}

/** The secret of a link in a browser's cookies, not yet checked. */
export function linkSecretOf(header: string | undefined, url: string): string | undefined {
  return cookieOf(LINK, header, url)
}

function cookieOf(name: string, header: string | undefined, url: string): string | undefined {
  const value = readCookie(cookieKind(name, url), header)
  return value && value.length <= LONGEST ? value : undefined
}
