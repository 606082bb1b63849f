import { type CallbackHeaders, type CallbackPayload, type CallbackSecret, signCallback } from '@wigwag/sdk'

/**
 * A callback as the gateway posts it. `request()` makes a web request of it; `body` and `headers` fit anything else.
 * @example
 * import { type SignedCallback, signedCallback } from '@wigwag/sdk/testing'
 * const callback: SignedCallback = await signedCallback({ Status: 'failed' }, 'whsec_c2VjcmV0')
 * console.log(callback.headers['webhook-id'], callback.body)
 */
export interface SignedCallback {
  body: string
  headers: CallbackHeaders & { 'content-type': string }
  /** A new request each time, because a body can be read once. */
  request(url?: string): Request
}

/**
 * Makes a signed callback to test a receiver with. Fields that you leave out of the payload are filled in.
 * Another secret makes a forgery, and an earlier `timestamp` (in seconds) an old callback.
 * @example
 * import { callbackHandler } from '@wigwag/sdk'
 * import { signedCallback } from '@wigwag/sdk/testing'
 * const handler = callbackHandler('whsec_c2VjcmV0', ({ Ticket, Status }) => console.log(Ticket, Status))
 * const callback = await signedCallback({ Status: 'success' }, 'whsec_c2VjcmV0')
 * const forgery = await signedCallback({ Status: 'success' }, 'whsec_b3RoZXI=')
 * console.log((await handler(callback.request())).status, (await handler(forgery.request())).status) // 204 401
 */
export async function signedCallback(
  payload: Partial<CallbackPayload>,
  secret: CallbackSecret,
  options?: { id?: string; timestamp?: number },
): Promise<SignedCallback> {
  const whole: CallbackPayload = {
    ClientReference: '',
    Ticket: '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
    Destination: '233241234567',
    Cost: 1,
    BalanceBefore: 100,
    BalanceAfter: 99,
    Status: 'success',
    ...payload,
  }
  const body = JSON.stringify(whole)
  const headers = { 'content-type': 'application/json', ...(await signCallback(body, secret, options)) }
  return {
    body,
    headers,
    request: (url = 'http://localhost/callbacks') => new Request(url, { method: 'POST', headers, body }),
  }
}
