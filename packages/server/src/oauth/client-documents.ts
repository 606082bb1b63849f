import type { Outbound } from '../gateway/ports.ts'

const LONGEST_MS = 5_000
/** As much as the library reads of it. */
const LARGEST_BYTES = 5 * 1_024

/** Whether a client is named by the address of its own document. The library takes the scheme in any letters. */
export function isDocument(clientId: string): boolean {
  return /^https:/i.test(clientId)
}

/**
 * Fetches what a client says of itself (client ID metadata documents). Whoever asks to sign in chooses the address, so
 * it goes out by the same guarded way as callbacks do.
 */
export function createDocumentFetch(outbound: Outbound): typeof fetch {
  return async function fetchDocument(input) {
    const url = input instanceof Request ? input.url : String(input)
    const result = await outbound({
      method: 'GET',
      url,
      headers: { accept: 'application/json' },
      timeoutMs: LONGEST_MS,
      maxReplyBytes: LARGEST_BYTES,
    })
    if (result.kind === 'failure') throw new Error(`the client's document: ${result.failure}`)
    if (result.truncated) throw new Error(`the client's document is larger than ${LARGEST_BYTES} bytes`)
    return new Response(Buffer.from(result.body), { status: result.status, headers: result.headers })
  }
}
