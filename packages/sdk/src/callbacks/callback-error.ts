/**
 * A callback that can't be trusted (`status` 401) or can't be read (400).
 * @example
 * import { CallbackError, verifyCallback } from '@wigwag/sdk'
 * export async function POST(request: Request) {
 *   try {
 *     console.log(await verifyCallback(request, 'whsec_c2VjcmV0'))
 *     return new Response(null, { status: 204 })
 *   } catch (error) {
 *     if (error instanceof CallbackError) return new Response(error.message, { status: error.status })
 *     throw error
 *   }
 * }
 */
export class CallbackError extends Error {
  override name = 'CallbackError'
  /** `unsigned`, `old`, `forged` (an unknown signature) or `unreadable`. */
  readonly reason: 'unsigned' | 'old' | 'forged' | 'unreadable'
  /** The HTTP status to answer with. */
  readonly status: 400 | 401

  constructor(reason: CallbackError['reason'], message: string) {
    super(message)
    this.reason = reason
    this.status = reason === 'unreadable' ? 400 : 401
  }
}
