import { systemClock } from '../clock.ts'
import { type CallbackSecret, importKeys, type RawBody, sign } from './signature.ts'

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
 * import { callbackHandler, type CallbackPayload, signCallback } from '@wigwag/sdk'
 * const handler = callbackHandler('whsec_c2VjcmV0', (payload) => console.log(payload.Status))
 * const payload: CallbackPayload = {
 *   ClientReference: 'order-1042',
 *   Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
 *   Destination: '233241234567',
 *   Cost: 0.045,
 *   BalanceBefore: 100,
 *   BalanceAfter: 99.955,
 *   Status: 'success',
 * }
 * const body = JSON.stringify(payload)
 * const headers = await signCallback(body, 'whsec_c2VjcmV0')
 * const request = new Request('http://127.0.0.1:3000/callbacks', { method: 'POST', headers, body })
 * console.log((await handler(request)).status) // 204
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
