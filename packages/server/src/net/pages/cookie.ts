import { serialize } from 'hono/utils/cookie'

export interface CookieKind {
  name: string
  /** Over https the cookie is bound to this exact host, so that sibling domains cannot set it. */
  secure: boolean
}

/** The name and security of a cookie, depending on the public address. */
export function cookieKind(name: string, publicUrl: string): CookieKind {
  const secure = publicUrl.startsWith('https:')
  return { name: secure ? `__Host-${name}` : name, secure }
}

/** A Set-Cookie value. Hidden from scripts and from other sites' forms. Without `expires`, a session cookie. */
export function writeCookie({ name, secure }: CookieKind, value: string, expires?: Date): string {
  return serialize(name, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure,
    ...(expires ? { expires } : {}),
  })
}

/** The value of a cookie in a Cookie header, as it is: ours need no decoding. Undefined when it is missing. */
export function readCookie({ name }: CookieKind, header: string | undefined): string | undefined {
  const start = `${name}=`
  const pairs = header?.split(';').map((pair) => pair.trim())
  return pairs?.find((pair) => pair.startsWith(start))?.slice(start.length)
}
