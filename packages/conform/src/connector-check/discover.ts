import { buildDiscoveryUrls, extractWWWAuthenticateParams } from '@modelcontextprotocol/sdk/client/auth.js'
import {
  type OAuthMetadata,
  OAuthMetadataSchema,
  OAuthProtectedResourceMetadataSchema,
} from '@modelcontextprotocol/sdk/shared/auth.js'
import { isLoopback, isWebUrl, mismatchOf } from '@wigwag/contract'
import { metadataUrl } from '@wigwag/mcp'
import type * as z from 'zod'
import { excerpt } from './excerpt.ts'
import { ok, warn } from './finding.ts'
import { askDiscovery, isOfProtocol } from './newest.ts'
import type { Progress } from './progress.ts'
import { unexpected, type Visit, type Visited, Wrong } from './visit.ts'

/** Where to sign in for the tools at an address. */
export interface SignInPlace {
  issuer: string
  metadata: OAuthMetadata
  resource: string
  /** The scopes that the connector's refusal asks for, such as `sms:read sms:send`. */
  scope: string | undefined
}

/**
 * Finds out where to sign in, as an assistant does: from the refusal of a request without a token. Undefined when
 * something is wrong.
 */
export async function discover(
  url: string,
  { visit, progress }: { visit: Visit; progress: Progress },
): Promise<SignInPlace | 'no sign-in' | undefined> {
  const knocked = await progress.attempt('address', () => knock(visit, url))
  if (!knocked) return undefined
  if (knocked.status !== 401) {
    const detail = 'no sign-in is asked for'
    progress.report(
      'challenge',
      isLoopback(new URL(url)) ? ok(detail) : warn(`${detail}: all who reach this address can use it`),
    )
    return 'no sign-in'
  }
  const challenged = await progress.attempt('challenge', () => readChallenge(url, knocked))
  // An assistant that is not told where the document is tries its usual place.
  const place = challenged?.place ?? metadataUrl(url)
  const issuer = await progress.attempt('resource', () => readResource(visit, url, place))
  if (issuer === undefined) return undefined
  const metadata = await progress.attempt('server', () => readServer(visit, issuer))
  if (!metadata || !challenged) return undefined
  return { issuer, metadata, resource: url, scope: challenged.scope }
}

async function knock(visit: Visit, url: string) {
  const visited = await askDiscovery(visit, url)
  const { status } = visited
  if (status === 401) return { detail: 'answers 401 to a request without a token', value: visited }
  if (isOfProtocol(visited))
    return { detail: `answers ${status} to a request without a token`, value: visited }
  throw unexpected(visited, '401, or an answer of the protocol MCP')
}

export async function readChallenge(url: string, { request, headers }: Visited) {
  const expected = `${request}: expected WWW-Authenticate: Bearer resource_metadata="${metadataUrl(url)}" with the 401`
  const came = headers.get('www-authenticate')
  if (came === null) throw new Wrong(`${expected}; got no such header`)
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(new Response(null, { headers }))
  if (!resourceMetadataUrl || !isWebUrl(resourceMetadataUrl.href))
    throw new Wrong(`${expected}; got ${excerpt(came)}`)
  const place = resourceMetadataUrl.href
  return { detail: `names ${excerpt(place, 300)}`, value: { place, scope } }
}

/** Reads the protected resource metadata (RFC 9728). Returns the issuer. */
export async function readResource(visit: Visit, url: string, place: string) {
  const visited = await visitDocument(visit, place)
  const { request } = visited
  const document = readDocument(visited, OAuthProtectedResourceMetadataSchema)
  const { resource, authorization_servers: servers = [] } = document
  if (resource !== url)
    throw new Wrong(`${request}: expected the resource ${url}; got ${excerpt(resource, 300)}`)
  const [issuer] = servers
  if (issuer === undefined) throw new Wrong(`${request}: expected authorization_servers; got none`)
  return { detail: `is for this address; sign-in is at ${excerpt(issuer, 300)}`, value: issuer }
}

/** Reads the authorization server's metadata (RFC 8414), from the first of the usual places that has it. */
export async function readMetadata(visit: Visit, issuer: string) {
  const places = buildDiscoveryUrls(issuer).map(({ url }) => url.href)
  const visited = await firstAnswer(visit, places)
  return { request: visited.request, document: readDocument(visited, OAuthMetadataSchema) }
}

async function readServer(visit: Visit, issuer: string) {
  const { request, document } = await readMetadata(visit, issuer)
  const wrong = missingIn(document, issuer)
  if (wrong.length > 0) throw new Wrong(`${request}: ${wrong.join('; ')}`)
  return { detail: 'has all that an assistant needs', value: document }
}

/** Only a place that has nothing leads to the next. */
async function firstAnswer(visit: Visit, [place = '', ...others]: readonly string[]): Promise<Visited> {
  const first = await visitDocument(visit, place)
  if (first.status === 200) return first
  for (const other of others) {
    const found = await visitDocument(visit, other)
    if (found.status === 200) return found
  }
  return first
}

function missingIn(metadata: OAuthMetadata, issuer: string): string[] {
  const rules: readonly (readonly [boolean, string, unknown])[] = [
    [metadata.issuer === issuer, `the issuer ${issuer}`, metadata.issuer],
    [
      metadata.response_types_supported.includes('code'),
      'code in response_types_supported',
      metadata.response_types_supported,
    ],
    [
      metadata.code_challenge_methods_supported?.includes('S256') ?? false,
      'S256 in code_challenge_methods_supported',
      metadata.code_challenge_methods_supported,
    ],
    [
      'registration_endpoint' in metadata || metadata.client_id_metadata_document_supported === true,
      'a registration_endpoint, or client_id_metadata_document_supported: true',
      undefined,
    ],
    [
      Reflect.get(metadata, 'authorization_response_iss_parameter_supported') === true,
      'authorization_response_iss_parameter_supported: true',
      Reflect.get(metadata, 'authorization_response_iss_parameter_supported'),
    ],
  ]
  return rules
    .filter(([holds]) => !holds)
    .map(([_, expected, came]) => `expected ${expected}; got ${came === undefined ? 'none' : shown(came)}`)
}

function shown(value: unknown): string {
  return excerpt(typeof value === 'string' ? value : JSON.stringify(value), 300)
}

function visitDocument(visit: Visit, place: string): Promise<Visited> {
  return visit(place, { headers: { accept: 'application/json' } })
}

function readDocument<T>(visited: Visited, schema: z.ZodType<T>): T {
  const { request, status, json } = visited
  if (status !== 200 || json === undefined) throw unexpected(visited, '200 with JSON')
  const read = schema.safeParse(json)
  if (read.success) return read.data
  const issues = read.error.issues.map((issue) => {
    const { expected, got = 'nothing' } = mismatchOf(issue, json)
    return `${issue.path.join('.')}: expected ${expected}, got ${got}`
  })
  throw new Wrong(`${request}: the document is not valid: ${excerpt(issues.join('; '), 300)}`)
}
