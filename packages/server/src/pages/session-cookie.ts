import { type EpochMs, epochMs } from '../domain/ids.ts'
import { cookiePlace, readCookie, writeCookie } from './cookie.ts'

const NAME = 'wigwag_portal'
const LONGEST = 256

/** The cookie that keeps a person signed in. */
export function sessionCookie(token: string, publicUrl: string, expiresAt: EpochMs): string {
  return writeCookie(cookiePlace(NAME, publicUrl), token, new Date(expiresAt))
}

/** The cookie that takes the other one away. */
export function noSessionCookie(publicUrl: string): string {
  return sessionCookie('', publicUrl, epochMs(0))
}

/** The token in a browser's cookies. Whether it is worth anything, the portal knows. */
export function sessionTokenOf(cookieHeader: string | undefined, publicUrl: string): string | undefined {
  const token = readCookie(cookiePlace(NAME, publicUrl), cookieHeader)
  return token && token.length <= LONGEST ? token : undefined
}
