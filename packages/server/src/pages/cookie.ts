import { parse, serialize } from 'hono/utils/cookie'

export interface CookiePlace {
  name: string
  /** Over https the cookie is bound to this very host, so that no neighbour can set it. */
  secure: boolean
}

export function cookiePlace(name: string, publicUrl: string): CookiePlace {
  const secure = publicUrl.startsWith('https:')
  return { name: secure ? `__Host-${name}` : name, secure }
}

/** A cookie that no script reads and that no other site's form is sent with. Without an end, it ends with the browser. */
export function writeCookie({ name, secure }: CookiePlace, value: string, expires?: Date): string {
  return serialize(name, value, {
    path: '/',
    httpOnly: true,
    sameSite: 'Lax',
    secure,
    ...(expires ? { expires } : {}),
  })
}

export function readCookie({ name }: CookiePlace, header: string | undefined): string | undefined {
  return header === undefined ? undefined : parse(header, name)[name]
}
