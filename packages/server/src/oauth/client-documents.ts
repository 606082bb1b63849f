import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import type { Clock } from '../clock.ts'
import type { Outbound } from '../gateway/ports.ts'
import { createAddressLimit } from './address-limit.ts'
import { callerAddress } from './caller.ts'
import { createFetchPlaces } from './fetch-places.ts'

const LONGEST_MS = 5_000
/** As much as the library reads of it. */
const LARGEST_BYTES = 5 * 1_024
const MOST_AN_HOUR = 300
const KEPT_MS = 60_000
const MOST_KEPT = 500
const BUSY_SECONDS = 5
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i

/** Whether a client is named by the address of its own document. The library takes the scheme in any letters. */
export function isDocument(clientId: string): boolean {
  return /^https:/i.test(clientId)
}

/** What clients say of themselves at their own addresses (client ID metadata documents). */
export interface ClientDocuments {
  /** Fetches the document of a client, unless it was just tried. Throws what tells the caller to come later. */
  prepare(ctx: KoaContextWithOIDC | undefined, clientId: string): Promise<true>
  /** Gives a document that was prepared, and fetches nothing. */
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
 * Any stranger chooses the address and can ask at every endpoint, so a document is fetched by the same guarded way as
 * callbacks, so many an hour for one caller, and not again within a minute, whether or not it could be had.
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
    const settle = () => {
      entry.until = clock.elapsed() + KEPT_MS
      end()
    }
    entry.document.then(settle, settle)
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

/** Says nothing against the client: one that is told that it is unknown forgets its tokens. */
function later(ctx: KoaContextWithOIDC | undefined, retryAfter: number): errors.OIDCProviderError {
  ctx?.set('retry-after', String(retryAfter))
  const error = new errors.TemporarilyUnavailable(
    'too many documents of clients are asked for from your network; try again later',
  )
  error.statusCode = 429
  return error
}
