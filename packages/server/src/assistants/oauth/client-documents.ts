import { isIP } from 'node:net'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../../platform/clock.ts'
import { countedAddress, wideNetwork } from '../../platform/http/client-address.ts'
import type { Outbound } from '../../platform/outbound/port.ts'
import { createAddressLimit } from './address-limit.ts'
import { callerAddress } from './hand-over.ts'

const LONGEST_MS = 5_000
/** The same limit as the library's. */
const LARGEST_BYTES = 5 * 1_024
const MOST_AN_HOUR = 300
const KEPT_MS = 60_000
const MOST_KEPT = 500
const BUSY_SECONDS = 5
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/** Client ID metadata documents: what clients publish about themselves at their own URLs. */
export interface ClientDocuments {
  /** Fetches a client's document, unless it was tried in the last minute. Throws when the caller is over a limit. */
  prepare(ctx: KoaContextWithOIDC | undefined, clientId: string): Promise<true>
  /** Returns a prepared document. Never fetches. */
  read: typeof fetch
}

export interface ClientDocumentsOptions {
  outbound: Outbound
  clock: Clock
}

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
 * Anyone can make us fetch any URL, at every endpoint. So documents are fetched through the same guard as callbacks,
 * with an hourly limit per caller, and not again within a minute, whether or not the fetch succeeded.
 */
export function createClientDocuments({ outbound, clock }: ClientDocumentsOptions): ClientDocuments {
  const moreFetches = createAddressLimit(clock, MOST_AN_HOUR)
  const takePlace = createFetchPlaces()
  const kept = new Map<string, Kept>()

  function find(url: string): Promise<Fetched> | undefined {
    const found = kept.get(url)
    if (found && found.until > clock.elapsed()) return found.document
    kept.delete(url)
    return undefined
  }

  function begin(url: string, end: () => void): void {
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= MOST_KEPT) kept.delete(oldest)
    const entry: Kept = { document: fetchDocument(outbound, url), until: Number.POSITIVE_INFINITY }
    kept.set(url, entry)
    const conclude = () => {
      entry.until = clock.elapsed() + KEPT_MS
      end()
    }
    entry.document.then(conclude, conclude)
  }

  return {
    async prepare(ctx, clientId) {
      if (new URL(clientId).pathname === '/') {
        throw new errors.InvalidClient(
          'client_id: expected an address with a path, such as https://assistant.example/client.json',
        )
      }
      if (find(clientId)) return true
      const refused = moreFetches(callerAddress())
      if (refused) throw later(ctx, refused.retryAfter)
      const end = takePlace(callerAddress(), clientId)
      if (!end) throw later(ctx, BUSY_SECONDS)
      begin(clientId, end)
      return true
    },

    async read(input) {
      const url = input instanceof Request ? input.url : String(input)
      const document = find(url)
      if (!document) throw new Error('expected the address of a document that was prepared')
      const { status, headers, body } = await document
      return new Response(Buffer.from(body), { status, headers })
    },
  }
}

async function fetchDocument(outbound: Outbound, url: string): Promise<Fetched> {
  const result = await outbound({
    method: 'GET',
    url,
    headers: { accept: 'application/json' },
    timeoutMs: LONGEST_MS,
    maxReplyBytes: LARGEST_BYTES,
  })
  if (result.kind === 'failure') throw new Error(`the client's document: ${result.failure}`)
  if (result.truncated) throw new Error(`the client's document is larger than ${LARGEST_BYTES} bytes`)
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

/** Takes places for a fetch and returns the function that frees them; undefined when the share is used up. */
export type FetchPlaces = (asker: string, url: string) => (() => void) | undefined

const MOST_OF_AN_ASKER = 4
const MOST_OF_A_SITE = 8

/**
 * Limits concurrent fetches. They share few sockets, and neither one caller nor one slow site may hold all of them,
 * however many hostnames the site has.
 */
export function createFetchPlaces(): FetchPlaces {
  const taken = new Map<string, number>()

  function change(name: string, by: number): void {
    const count = (taken.get(name) ?? 0) + by
    if (count > 0) taken.set(name, count)
    else taken.delete(name)
  }

  return function take(asker, url) {
    const counted = countedAddress(asker)
    const [network, site] = [`from ${wideNetwork(counted) ?? counted}`, `to ${siteOf(url)}`]
    if ((taken.get(network) ?? 0) >= MOST_OF_AN_ASKER || (taken.get(site) ?? 0) >= MOST_OF_A_SITE)
      return undefined
    for (const name of [network, site]) change(name, 1)
    return () => {
      for (const name of [network, site]) change(name, -1)
    }
  }
}

/** The last two labels of a host. Owners that share them, as at a hosting service, share the places. */
function siteOf(url: string): string {
  const { hostname } = new URL(url)
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0
  return isAddress ? hostname : hostname.split('.').slice(-2).join('.')
}
