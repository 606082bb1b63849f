import { timingSafeEqual } from 'node:crypto'
import { isLoopback } from '@wigwag/contract'
import { type AdapterPayload, type ClientMetadata, type Configuration, errors } from 'oidc-provider'
import { digestOf } from '../../accounts/index.ts'
import type { StandaloneConnector } from '../standalone.ts'
import { isDocument, TOKEN_EXCHANGE } from './scopes.ts'

const GRANTS = ['authorization_code', 'refresh_token']
const LONGEST_NAME = 200
const MOST_REDIRECTS = 20
const LARGEST_BYTES = 8 * 1_024

/**
 * Rules for clients that register themselves or have a client ID metadata document. The library calls the validator for
 * each extra property, with all the metadata; `wigwag` exists only to get that call.
 */
export const clientRules: NonNullable<Configuration['extraClientMetadata']> = {
  properties: ['wigwag'],
  validator(registration: unknown, _, __, metadata) {
    // A client that registers a scope could never ask for another one.
    delete metadata.scope
    delete metadata.wigwag
    // The library would fetch it.
    delete metadata.sector_identifier_uri
    const hasDocument = isDocument(metadata.client_id)
    // Stored clients were checked when they registered, or are connectors, which only the operator adds.
    if (registration === undefined && !hasDocument) return
    // A document is written for many servers, so grant types that this one does not have are ignored.
    if (hasDocument && Array.isArray(metadata.grant_types))
      metadata.grant_types = metadata.grant_types.filter((type) => GRANTS.includes(type))
    const wrong = wrongIn(metadata)
    if (wrong !== undefined) throw new errors.InvalidClientMetadata(wrong)
  },
}

function wrongIn(metadata: ClientMetadata): string | undefined {
  const { grant_types: grants = GRANTS, redirect_uris: redirects, client_name: name } = metadata
  if (!Array.isArray(grants) || grants.length === 0 || !grants.every((type) => GRANTS.includes(type)))
    return `grant_types: expected ${GRANTS.join(' or ')}`
  if (!Array.isArray(redirects) || redirects.length === 0 || redirects.length > MOST_REDIRECTS)
    return `redirect_uris: expected 1 to ${MOST_REDIRECTS}`
  const redirect = redirects.map(wrongRedirect).find((found) => found !== undefined)
  if (redirect !== undefined) return `redirect_uris: ${redirect}`
  if (typeof name === 'string' && name.length > LONGEST_NAME)
    return `client_name: expected at most ${LONGEST_NAME} characters`
  if (typeof name === 'string' && name.includes('\0')) return 'client_name: expected no zero character'
  if (JSON.stringify(metadata).length > LARGEST_BYTES)
    return `expected at most ${LARGEST_BYTES} bytes about the client`
  return undefined
}

/** Schemes of well-known assistant apps that are not domain names. */
const KNOWN_APPS = new Set([
  'claude',
  'cursor',
  'vscode',
  'vscode-insiders',
  'vscodium',
  'warp',
  'windsurf',
  'zed',
])

/** What is wrong with a redirect URI, in words; undefined when nothing is. */
function wrongRedirect(uri: unknown): string | undefined {
  const url = typeof uri === 'string' ? URL.parse(uri) : null
  if (url === null) return 'expected absolute URLs'
  const { protocol, username, password } = url
  if (protocol === 'http:' && !isLoopback(url)) return 'expected https, or http to a loopback address'
  if (protocol !== 'http:' && protocol !== 'https:' && !isApp(protocol.slice(0, -1)))
    return `expected https, or the scheme of an app that is a domain of its maker, such as com.example.app; got ${protocol}`
  // People would take the part before the @ for the host.
  if (username !== '' || password !== '') return 'expected no name and no password'
  return undefined
}

/** A reversed domain name belongs to its owner (RFC 8252 §7.1). Any other scheme may open a part of the system. */
function isApp(scheme: string): boolean {
  return scheme.includes('.') || KNOWN_APPS.has(scheme)
}

/** A client as it is stored: with the digest of its secret, which is long and random. */
export function withDigest<Client extends Pick<AdapterPayload, 'client_secret'>>(client: Client): Client {
  const { client_secret: secret } = client
  return secret === undefined ? client : { ...client, client_secret: digestOf(secret) }
}

/** Whether `shown` is the secret of this client, which holds its digest. */
export function isSecretOf(this: { clientSecret?: string | undefined }, shown: string): boolean {
  const kept = Buffer.from(this.clientSecret ?? '')
  const found = Buffer.from(digestOf(shown))
  return kept.length === found.length && timingSafeEqual(kept, found)
}

/** A standalone connector as a client of the authorization server: it may only exchange tokens. */
export function standaloneClient({ id, secret, resource }: StandaloneConnector): AdapterPayload {
  return withDigest({
    client_id: id,
    client_secret: secret,
    client_name: `the connector at ${resource}`,
    token_endpoint_auth_method: 'client_secret_basic',
    grant_types: [TOKEN_EXCHANGE],
    response_types: [],
    redirect_uris: [],
  })
}
