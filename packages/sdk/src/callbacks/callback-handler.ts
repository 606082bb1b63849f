import { environment } from '../environment.ts'
import type { CallbackPayload } from '../generated/models.ts'
import { isRecord } from '../shape.ts'
import { type VerifyOptions, verifyCallback } from './callback.ts'
import { CallbackError } from './callback-error.ts'
import type { CallbackSecret } from './signature.ts'

/**
 * A function that answers callbacks, for any runtime with web requests.
 * @example
 * import { type CallbackHandler, callbackHandler } from '@wigwag/sdk'
 * const POST: CallbackHandler = callbackHandler('whsec_c2VjcmV0', (payload) => console.log(payload.Status))
 */
export type CallbackHandler = (request: Request) => Promise<Response>

/**
 * Your function for a callback. The same callback may come more than once, for example when it is posted
 * again from the console; its `id` stays the same.
 * @example
 * import { callbackHandler, type HandleCallback } from '@wigwag/sdk'
 * const handled = new Set<string>() // in a program: a table in your database
 * const handle: HandleCallback = async ({ ClientReference, Status }, _request, id) => {
 *   if (handled.has(id)) return
 *   console.log(ClientReference, Status)
 *   handled.add(id) // last: when the work fails, the callback comes again
 * }
 * export const POST = callbackHandler('whsec_c2VjcmV0', handle)
 */
export type HandleCallback = (payload: CallbackPayload, request: Request, id: string) => unknown

/**
 * The options of `callbackHandler`.
 * @example
 * import { callbackHandler, type CallbackHandlerOptions } from '@wigwag/sdk'
 * const options: CallbackHandlerOptions = {
 *   secret: ['whsec_bmV3', 'whsec_c2VjcmV0'],
 *   onError: (error) => console.error('a callback failed:', error),
 * }
 * export const POST = callbackHandler((payload) => console.log(payload.Status), options)
 */
export interface CallbackHandlerOptions extends VerifyOptions {
  /** The secret; by default `WIGWAG_CALLBACK_SECRET`, which may hold two with a space between them. */
  secret?: CallbackSecret | undefined
  /**
   * Called with what your function threw, and with what is wrong with the set-up, such as a missing secret. By default
   * it goes to `console.error`. The response is 500 in any case, so the gateway tries again. An error that `onError`
   * throws is left to your framework.
   */
  onError?: ((error: unknown, request: Request) => unknown) | undefined
}

/**
 * Makes a handler for Hono, Next, Bun, Deno and Workers. It answers 204 once `handle` is done, 401 to a callback that
 * is not signed with your secret or is old, and 400 to one that can't be read; `handle` is not called for those.
 * Without a secret, `WIGWAG_CALLBACK_SECRET` is read when a callback comes: from the bindings that a Worker's `fetch` is
 * called with, else from the environment. If `handle` throws, the error goes to `onError`, the answer is 500, and the
 * gateway tries again later.
 * @example
 * import { callbackHandler } from '@wigwag/sdk'
 * const handler = callbackHandler(async ({ Ticket, Status }, request, id) => {
 *   console.log(id, Ticket, Status)
 * })
 * export default { fetch: handler }
 */
export function callbackHandler(handle: HandleCallback, options?: CallbackHandlerOptions): CallbackHandler
export function callbackHandler(
  secret: CallbackSecret,
  handle: HandleCallback,
  options?: CallbackHandlerOptions,
): CallbackHandler
export function callbackHandler(...given: WithSecret | WithoutSecret): CallbackHandler {
  const [handle, options = {}] = isWithSecret(given) ? [given[1], { ...given[2], secret: given[0] }] : given
  const { secret, onError = report } = options

  async function failed(error: unknown, request: Request, text: string): Promise<Response> {
    await onError(error, request)
    return new Response(text, { status: 500 })
  }

  return async function answerCallback(request: Request, bindings?: unknown) {
    if (request.method !== 'POST')
      return new Response('Expected POST.', { status: 405, headers: { Allow: 'POST' } })
    let payload: CallbackPayload
    try {
      payload = await verifyCallback(request, secret ?? secretAround(bindings), options)
    } catch (error) {
      if (error instanceof CallbackError) return new Response(error.message, { status: error.status })
      // A mistake in the set-up is named to the caller too: its text holds no secret.
      return failed(error, request, error instanceof TypeError ? error.message : FAILED)
    }
    try {
      await handle(payload, request, request.headers.get('webhook-id') ?? '')
    } catch (error) {
      return failed(error, request, FAILED)
    }
    return new Response(null, { status: 204 })
  }
}

/** The request is left out: it holds a phone number. */
function report(error: unknown): void {
  console.error(error)
}

const FAILED = 'The receiver failed. Its log says why.'

type WithSecret = [secret: CallbackSecret, ...WithoutSecret]
type WithoutSecret = [handle: HandleCallback, options?: CallbackHandlerOptions | undefined]

function isWithSecret(given: WithSecret | WithoutSecret): given is WithSecret {
  return typeof given[0] !== 'function'
}

/**
 * Read at every callback: where routes are imported by a build, the environment is not there yet. Only a Worker gets its
 * bindings as the second argument; other runtimes pass something else there, or nothing.
 */
function secretAround(bindings: unknown): CallbackSecret {
  const name = 'WIGWAG_CALLBACK_SECRET'
  const bound = isRecord(bindings) ? bindings[name] : undefined
  const secrets = (typeof bound === 'string' ? bound : environment(name))?.match(/\S+/g)
  if (secrets) return secrets
  throw new TypeError(
    'Expected a callback secret: set WIGWAG_CALLBACK_SECRET, or pass it to callbackHandler.',
  )
}
