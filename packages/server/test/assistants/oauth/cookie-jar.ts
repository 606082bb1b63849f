/**
 * The cookies of one browser at one host, as values by names. Ports don't matter, as in browsers. A cookie
 * for one path has the key `name /path`, so that two paths don't share it.
 */
export type CookieJar = Map<string, string>

/** The cookie header of a request to an address: cookies with longer paths first (RFC 6265 §5.4). */
export function cookiesFor(jar: CookieJar, url: string): string {
  const { pathname } = new URL(url)
  return [...jar]
    .map(([key, value]) => ({ name: key.split(' ')[0], path: key.split(' ')[1] ?? '/', value }))
    .filter(({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`))
    .sort((a, b) => b.path.length - a.path.length)
    .map(({ name, value }) => `${name}=${value}`)
    .join('; ')
}

export function keepCookies(jar: CookieJar, setCookies: readonly string[]): void {
  for (const text of setCookies) {
    const [pair = '', ...attributes] = text.split(/;\s*/)
    const [name = '', ...value] = pair.split('=')
    const path = attributes.find((attribute) => /^path=/i.test(attribute))?.slice('path='.length)
    const key = path === undefined || path === '/' ? name : `${name} ${path}`
    const isOver = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute))
    if (isOver || value.join('=') === '') jar.delete(key)
    else jar.set(key, value.join('='))
  }
}
