import { type ProtocolRequest, toolCallOf } from '../protocol/index.ts'
import { mayOnlyRead, sentenceOf } from '../refusal.ts'
import { type Identity, writingTool } from '../tools/index.ts'
import { type HttpReply, type HttpRequest, problem, Refused } from './http-message.ts'

/** The scopes of an assistant. A challenge names both, because many clients can't ask for more later. */
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

/** The document for the tools at `resource`, such as `https://sms.example.com/mcp`. `issuer` issues the tokens for it. */
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

/** The address of the document: `https://sms.example.com/.well-known/oauth-protected-resource/mcp`. */
export function metadataUrl(resource: string): string {
  return wellKnown(NAME, resource)
}

/** The `WWW-Authenticate` header for a request without a token, or with an invalid one (RFC 6750 §3, RFC 9728 §5.1). */
export function challenge(resource: string, error?: 'invalid_token'): string {
  const header = `Bearer resource_metadata="${metadataUrl(resource)}", scope="${SCOPES.join(' ')}"`
  return error ? `${header}, error="${error}"` : header
}

/**
 * The header for a token that does not allow the call (RFC 6750 §3.1). It names both scopes: sending needs prices, and
 * clients of older revisions request the scopes named here instead of those they have.
 */
function scopeChallenge(resource: string): string {
  return `Bearer error="insufficient_scope", scope="${SCOPES.join(' ')}", resource_metadata="${metadataUrl(resource)}"`
}

/**
 * Refuses, with a 403, a call that the token does not allow: clients then start the authorization again to get more
 * rights. Without sign-in there are none to get, so the tool's own answer says that the connection may only read.
 */
export function checkScope({ canSend, resource, gate }: Identity, request: ProtocolRequest): void {
  if (canSend || resource === undefined) return
  const call = toolCallOf(request)
  const tool = call && writingTool(call.name)
  if (!tool) return
  gate.refuse(tool, call.input)
  const said = sentenceOf(mayOnlyRead(tool, true))
  throw new Refused(problem(403, said, { 'www-authenticate': scopeChallenge(resource) }))
}

const OPEN_TO_ALL = { 'access-control-allow-origin': '*' }

/**
 * Answers a request for the document, at its own address or at the one without a path that older clients try; undefined
 * for any other path. Pages of any origin may read it: everything in it is public.
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

/** The address of a well-known document: its name goes between host and path (RFC 8414 §3, RFC 9728 §3). */
export function wellKnown(name: string, address: string): string {
  const { origin, pathname } = new URL(address)
  return `${origin}/.well-known/${name}${pathname === '/' ? '' : pathname}`
}
