import { isIP } from 'node:net'
import { isLoopback } from '@wigwag/contract'
import { type ClientMetadata, type Configuration, errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../../kernel/process/clock.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import { countedAddress, wideNetwork } from '../../net/callers/client-address.ts'
import type { Outbound } from '../../net/outbound/port.ts'
import { AddressLimit, HOURLY_LIMITS, type HourlyLimits } from './hourly-limits.ts'
import { callerAddress } from './library.ts'
import { isDocument } from './scopes.ts'

const GRANTS = ['authorization_code', 'refresh_token']
const LONGEST_NAME = 200
const MOST_REDIRECTS = 20
const LARGEST_CLIENT = 8 * 1_024

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
  if (JSON.stringify(metadata).length > LARGEST_CLIENT)
    return `expected at most ${LARGEST_CLIENT} bytes about the client`
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

/** Says in words how a redirect URI is wrong; undefined when it is right. */
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

const LONGEST_MS = 5_000
/** The same limit as the library's. */
const LARGEST_DOCUMENT = 5 * 1_024
const KEPT_MS = MINUTE_MS
const MOST_KEPT = 500
const BUSY_SECONDS = 5
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

interface Kept {
  document: Promise<Fetched>
  until: number
}

interface Fetched {
  status: number
  headers: Readonly<Record<string, string>>
  body: Uint8Array
}

/**
 * Client ID metadata documents, which clients publish at their own URLs. Anyone can make us fetch any URL, at every
 * endpoint. So documents are fetched through the same guard as callbacks, with an hourly limit per caller, and not
 * again within a minute, whether or not the fetch succeeded.
 */
export class ClientDocuments {
  readonly #outbound: Outbound
  readonly #clock: Clock
  readonly #fetches: AddressLimit
  readonly #places = new FetchPlaces()
  readonly #kept = new Map<string, Kept>()

  constructor(own: {
    outbound: Outbound
    clock: Clock
    limits?: Partial<HourlyLimits> | undefined
  }) {
    this.#outbound = own.outbound
    this.#clock = own.clock
    this.#fetches = new AddressLimit(own.clock, own.limits?.documents ?? HOURLY_LIMITS.documents)
  }

  /** Fetches a client's document, unless it was tried in the last minute. Throws when the caller is over a limit. */
  async prepare(ctx: KoaContextWithOIDC | undefined, clientId: string): Promise<true> {
    if (new URL(clientId).pathname === '/') {
      throw new errors.InvalidClient(
        'client_id: expected an address with a path, such as https://assistant.example/client.json',
      )
    }
    if (this.#find(clientId)) return true
    const refused = this.#fetches.count(callerAddress())
    if (refused) throw later(ctx, refused.retryAfter)
    const end = this.#places.take(callerAddress(), clientId)
    if (!end) throw later(ctx, BUSY_SECONDS)
    this.#begin(clientId, end)
    return true
  }

  /** Returns a prepared document. Never fetches. */
  readonly read: typeof fetch = async (input) => {
    const url = input instanceof Request ? input.url : String(input)
    const document = this.#find(url)
    if (!document) throw new Error('expected the address of a document that was prepared')
    const { status, headers, body } = await document
    return new Response(Buffer.from(body), { status, headers })
  }

  #find(url: string): Promise<Fetched> | undefined {
    const found = this.#kept.get(url)
    if (found && found.until > this.#clock.elapsed()) return found.document
    this.#kept.delete(url)
    return undefined
  }

  #begin(url: string, end: () => void): void {
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size >= MOST_KEPT) this.#kept.delete(oldest)
    const entry: Kept = { document: fetchDocument(this.#outbound, url), until: Number.POSITIVE_INFINITY }
    this.#kept.set(url, entry)
    const conclude = () => {
      entry.until = this.#clock.elapsed() + KEPT_MS
      end()
    }
    entry.document.then(conclude, conclude)
  }
}

async function fetchDocument(outbound: Outbound, url: string): Promise<Fetched> {
  const result = await outbound({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    timeoutMs: LONGEST_MS,
    maxReplyBytes: LARGEST_DOCUMENT,
  })
  if (result.kind === 'failure') throw new Error(`the client's document: ${result.failure}`)
  if (result.truncated) throw new Error(`the client's document is larger than ${LARGEST_DOCUMENT} bytes`)
  const type = result.headers['content-type'] ?? 'nothing'
  if (result.status === 200 && !JSON_TYPE.test(type))
    throw new Error(`the client's document: expected application/json, got ${type}`)
  return result
}

/** Does not say that the client is unknown: an assistant that is told so drops its tokens. */
function later(ctx: KoaContextWithOIDC | undefined, retryAfter: number): errors.OIDCProviderError {
  ctx?.set('retry-after', String(retryAfter))
  const error = new errors.TemporarilyUnavailable(
    'too many client documents were requested from your network; try again later',
  )
  error.statusCode = 429
  return error
}

const MOST_OF_AN_ASKER = 4
const MOST_OF_A_SITE = 8

/**
 * Limits concurrent fetches. They share few sockets, and neither one caller nor one slow site may hold all of them,
 * however many hostnames the site has.
 */
export class FetchPlaces {
  readonly #taken = new Map<string, number>()

  /** Takes places for a fetch and returns the function that frees them; undefined when the share is used up. */
  take(asker: string, url: string): (() => void) | undefined {
    const counted = countedAddress(asker)
    const [network, site] = [`from ${wideNetwork(counted) ?? counted}`, `to ${siteOf(url)}`]
    if (this.#countOf(network) >= MOST_OF_AN_ASKER || this.#countOf(site) >= MOST_OF_A_SITE) return undefined
    for (const name of [network, site]) this.#change(name, 1)
    return () => {
      for (const name of [network, site]) this.#change(name, -1)
    }
  }

  #countOf(name: string): number {
    return this.#taken.get(name) ?? 0
  }

  #change(name: string, by: number): void {
    const count = this.#countOf(name) + by
    if (count > 0) this.#taken.set(name, count)
    else this.#taken.delete(name)
  }
}

/** The last two labels of a host. Owners that share them, as at a hosting service, share the places. */
function siteOf(url: string): string {
  const { hostname } = new URL(url)
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  return isAddress ? hostname : hostname.split('.').slice(-2).join('.')
}
