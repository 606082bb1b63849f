import { systemClock } from '../clock.ts'
import type { CallbackPayload } from '../types.ts'
import { type VerifyOptions, verifyCallback } from './callback.ts'
import { CallbackError } from './callback-error.ts'
import { type CallbackSecret, importKeys, type RawBody, sign } from './signature.ts'

/**
 * A function that answers callbacks, for any runtime with web requests.
 * @example
 * import { type CallbackHandler, callbackHandler } from '@wigwag/sdk'
 * const POST: CallbackHandler = callbackHandler('whsec_c2VjcmV0', (payload) => console.log(payload.Status))
 */
export type CallbackHandler = (request: Request) => Promise<Response>

/**
 * Makes a handler for Hono, Next, Bun, Deno and Workers. It answers 204 once `handle` is done, 401 to a callback that
 * is not signed with your secret or is old, and 400 to one that can't be read; `handle` is not called for those.
 * The same callback may come twice, then with the same `webhook-id`. If `handle` throws, so does the handler, and the
 * gateway tries again later.
 * @example
 * import { callbackHandler } from '@wigwag/sdk'
 * const handler = callbackHandler('whsec_c2VjcmV0', async (payload, request) => {
 *   console.log(request.headers.get('webhook-id'), payload.Ticket, payload.Status)
 * })
 * export default { fetch: handler }
 */
export function callbackHandler(
  secret: CallbackSecret,
  handle: (payload: CallbackPayload, request: Request) => unknown,
  options?: VerifyOptions,
): CallbackHandler {
  return async (request) => {
    if (request.method !== 'POST')
      return new Response('Expected POST.', { status: 405, headers: { Allow: 'POST' } })
    let payload: CallbackPayload
    try {
      payload = await verifyCallback(request, secret, options)
    } catch (error) {
      if (error instanceof CallbackError) return new Response(error.message, { status: error.status })
      throw error
    }
    await handle(payload, request)
    return new Response(null, { status: 204 })
  }
}

/**
 * The headers of a signed callback.
 * @example
 * import { type CallbackHeaders, signCallback } from '@wigwag/sdk'
 * const headers: CallbackHeaders = await signCallback('{}', 'whsec_c2VjcmV0')
 */
export type CallbackHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

/**
 * Signs a body like the gateway, to test a receiver. Two secrets give two signatures, as during a rotation.
 * @example
 * import { signCallback } from '@wigwag/sdk'
 * const body = JSON.stringify({ Ticket: '01932c07', Status: 'success' })
 * const headers = await signCallback(body, 'whsec_c2VjcmV0')
 * await fetch('http://127.0.0.1:3000/callbacks', { method: 'POST', headers: { ...headers }, body })
 */
export async function signCallback(
  body: RawBody,
  secret: CallbackSecret,
  {
    id = crypto.randomUUID(),
    timestamp = Math.floor(systemClock.now() / 1000),
  }: { id?: string; timestamp?: number } = {},
): Promise<CallbackHeaders> {
  const keys = await importKeys(secret)
  const signatures = await Promise.all(keys.map((key) => sign(key, id, String(timestamp), body)))
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
