const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Where an answer goes to, in the words that a consent shows. */
export interface RedirectPlace {
  /** `claude.ai`, `localhost:6274`; for a scheme of an app's own, the scheme with what names the app: `cursor://anysphere.cursor-mcp`. */
  redirectHost: string
  loopback: boolean
}

/** Reads a redirect URI that a client registered. */
export function redirectPlace(redirectUri: string): RedirectPlace {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (protocol === 'https:' || protocol === 'http:') {
    return { redirectHost: host, loopback: LOOPBACK.test(hostname) }
  }
  return { redirectHost: host === '' ? protocol : `${protocol}//${host}`, loopback: false }
}

/** The scheme of an app's own that an answer goes to, if it does: which app answers to it, the browser's computer decides. */
export function appScheme(redirectHost: string): string | undefined {
  return /^([a-z][a-z0-9+.-]*):(?:\/\/|$)/i.exec(redirectHost)?.[1]
}
