import type { HttpReply, HttpRequest } from './http-message.ts'
import { wellKnown } from './well-known.ts'

/** What an assistant may be allowed to do. All are asked for at once: many programs can't ask for more later. */
const SCOPES = ['sms:read', 'sms:send'] as const
const NAME = 'oauth-protected-resource'

/** How a protected resource describes itself (RFC 9728). */
export interface ProtectedResource {
  resource: string
  authorization_servers: string[]
  scopes_supported: string[]
  bearer_methods_supported: string[]
  resource_name: string
}

/** The document of the tools at `resource`, such as `https://sms.example.com/mcp`, whose tokens `issuer` gives out. */
export function protectedResource({
  resource,
  issuer,
}: {
  resource: string
  issuer: string
}): ProtectedResource {
  return {
    resource,
    authorization_servers: [issuer],
    scopes_supported: [...SCOPES],
    bearer_methods_supported: ['header'],
    resource_name: 'Wigwag SMS',
  }
}

/** Where its document is: `https://sms.example.com/.well-known/oauth-protected-resource/mcp`. */
export function metadataUrl(resource: string): string {
  return wellKnown(NAME, resource)
}

/**
 * What `WWW-Authenticate` says to whoever brings no token, or one that is no good (RFC 6750 §3, RFC 9728 §5.1).
 */
export function challenge(resource: string, error?: 'invalid_token'): string {
  const said = `Bearer resource_metadata="${metadataUrl(resource)}", scope="${SCOPES.join(' ')}"`
  return error ? `${said}, error="${error}"` : said
}

/**
 * What it says to a token that does not allow a call (RFC 6750 §3.1). Both scopes are named: sending needs prices, and
 * clients of older revisions ask for what is named here in place of what they have.
 */
export function scopeChallenge(resource: string): string {
  return `Bearer error="insufficient_scope", scope="${SCOPES.join(' ')}", resource_metadata="${metadataUrl(resource)}"`
}

const OPEN_TO_ALL = { 'access-control-allow-origin': '*' }

/**
 * Answers a request for the document, under its own address or the one without a path that older clients try; undefined
 * for any other path. Scripts of any page may read it: it holds nothing that is not public.
 */
export function serveMetadata(
  path: string,
  { method }: Pick<HttpRequest, 'method'>,
  document: ProtectedResource,
): HttpReply | undefined {
  const { resource } = document
  const places = [metadataUrl(resource), metadataUrl(new URL(resource).origin)]
  if (!places.some((place) => new URL(place).pathname === path)) return undefined
  if (method === 'OPTIONS') {
    const allowed = { 'access-control-allow-methods': 'GET', 'access-control-allow-headers': '*' }
    return { status: 204, headers: { ...OPEN_TO_ALL, ...allowed }, body: '' }
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { status: 405, headers: { ...OPEN_TO_ALL, allow: 'GET, HEAD, OPTIONS' }, body: '' }
  }
  const headers = { ...OPEN_TO_ALL, 'content-type': 'application/json', 'cache-control': 'max-age=300' }
  return { status: 200, headers, body: JSON.stringify(document) }
}
