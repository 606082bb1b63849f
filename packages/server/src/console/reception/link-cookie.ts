import { cookieKind, readCookie, writeCookie } from '../../platform/pages/cookie.ts'

const LINK = 'wigwag_link'
const LONGEST = 256

/** Keeps the secret of a link while somebody joins; until the browser is closed. */
export function linkCookie(secret: string, url: string): string {
  return writeCookie(cookieKind(LINK, url), secret)
}

/** The secret of a link in a browser's cookies, not yet checked. */
export function linkSecretOf(header: string | undefined, url: string): string | undefined {
  const value = readCookie(cookieKind(LINK, url), header)
  return value && value.length <= LONGEST ? value : undefined
}
