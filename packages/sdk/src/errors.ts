import type { ErrorCode, FieldError } from './generated/models.ts'
import type { OperationId } from './operations.ts'

/**
 * Facts about a call that failed.
 * @example
 * import { type CallFacts, TimeoutError } from '@wigwag/sdk'
 * const facts: CallFacts = { operation: 'getBalance', idempotencyKey: undefined, attempts: 1, uncertain: false }
 * const error = new TimeoutError('no answer in time', facts)
 */
export interface CallFacts {
  operation: OperationId
  /** The method that was called, where it is not that of the operation: `waitForFinal`. */
  method?: string | undefined
  idempotencyKey: string | undefined
  attempts: number
  uncertain: boolean
}

/** Names the class of an error to every copy of this package: a program may load it as ESM and as CommonJS. */
const kind = Symbol.for('@wigwag/sdk error')

type ErrorClass = (abstract new (...input: never[]) => WigwagError) & { [kind]: string }

/**
 * The base class of the errors that calls throw.
 * @example
 * import { createClient, WigwagError } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * try {
 *   await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello' })
 * } catch (error) {
 *   if (error instanceof WigwagError && error.uncertain) console.log('ask again with', error.idempotencyKey)
 * }
 */
export class WigwagError extends Error {
  static readonly [kind]: string = 'WigwagError'
  /**
   * Like `instanceof`, and also true for an error of another copy of this package, such as its CommonJS build. Every
   * class of errors has it.
   */
  static is<Class extends ErrorClass>(this: Class, error: unknown): error is InstanceType<Class> {
    for (let at = error; at instanceof Error; at = Object.getPrototypeOf(at)) {
      // biome-ignore lint/complexity/noThisInStatic: each class asks for its own kind.
      if (Object(at.constructor)[kind] === this[kind]) return true
    }
    return false
  }

  override name = 'WigwagError'
  /** The operation that was called. */
  declare readonly operation: OperationId
  /** The method that was called, where it is not that of the operation: `waitForFinal`. */
  declare readonly method: string | undefined
  /**
   * The idempotency key of the send. Calling again with it within 24 hours is safe: at most one message goes out. Later
   * it sends again; look first, with `searchMessages({ Reference })`.
   */
  declare readonly idempotencyKey: string | undefined
  /** How many requests were made. */
  declare readonly attempts: number
  /** Whether the gateway may have carried out the request despite the error. */
  declare readonly uncertain: boolean

  constructor(message: string, facts: CallFacts, options?: ErrorOptions) {
    super(`${facts.method ?? facts.operation}: ${message}`, options)
    Object.assign(this, facts)
  }
}

/**
 * The connection failed before the whole response arrived.
 * @example
 * import { ConnectionError } from '@wigwag/sdk'
 * const isOffline = (error: unknown) => error instanceof ConnectionError && !error.uncertain
 */
export class ConnectionError extends WigwagError {
  static override readonly [kind]: string = 'ConnectionError'
  override name = 'ConnectionError'
}

/**
 * The response, or the final status waited for, did not come in time: within `timeout`, or the whole call's `deadline`.
 * @example
 * import { TimeoutError } from '@wigwag/sdk'
 * const wasSlow = (error: unknown) => error instanceof TimeoutError
 */
export class TimeoutError extends WigwagError {
  static override readonly [kind]: string = 'TimeoutError'
  override name = 'TimeoutError'
}

/**
 * Your signal aborted the call. The signal's reason is the `cause`. As after any error, `uncertain` says whether a send
 * may have gone out.
 * @example
 * import { AbortedError, createClient } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const signal = AbortSignal.timeout(5_000)
 * await sms.getBalance({ signal }).catch((error) => console.log(AbortedError.is(error) && error.cause))
 */
export class AbortedError extends WigwagError {
  static override readonly [kind]: string = 'AbortedError'
  override name = 'AbortedError'
}

/**
 * The values of the gateway's `RateLimit` header.
 * @example
 * import type { RateLimit } from '@wigwag/sdk'
 * const pause = ({ remaining, reset }: RateLimit) => (remaining > 0 ? 0 : reset)
 */
export interface RateLimit {
  /** Requests left until the reset. */
  remaining: number
  /** Seconds until there are more. */
  reset: number
}

/**
 * An error response, as far as it could be read.
 * @example
 * import type { GatewayAnswer } from '@wigwag/sdk'
 * const isOurs = (answer: GatewayAnswer) => answer.code !== undefined
 */
export interface GatewayAnswer {
  status: number
  code: ErrorCode | undefined
  requestId: string | undefined
  retryAfter: number | undefined
  rateLimit: RateLimit | undefined
  errors: readonly FieldError[]
  body: unknown
}

/**
 * The gateway, or a proxy in front of it, answered with an error.
 * @example
 * import { createClient, GatewayError } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * try {
 *   await sms.sendSms({ From: 'ACME', To: '233201234567', Content: 'Hello' })
 * } catch (error) {
 *   if (error instanceof GatewayError && error.code === 'sender_not_approved') console.log(error.message)
 *   else throw error
 * }
 */
export class GatewayError extends WigwagError {
  static override readonly [kind]: string = 'GatewayError'
  override name = 'GatewayError'
  /** The HTTP status. */
  declare readonly status: number
  /** The error code; undefined when the response has none. */
  declare readonly code: ErrorCode | undefined
  /** The request's ID, to quote to support. */
  declare readonly requestId: string | undefined
  /** Seconds to wait before trying again. */
  declare readonly retryAfter: number | undefined
  declare readonly rateLimit: RateLimit | undefined
  /** The fields that were refused; empty if none were. */
  declare readonly errors: readonly FieldError[]
  /** The response body: parsed if it was JSON, otherwise its text. */
  declare readonly body: unknown

  constructor(message: string, facts: CallFacts, answer: GatewayAnswer) {
    super(message, facts)
    Object.assign(this, answer)
  }
}

/**
 * The credentials were refused (401).
 * @example
 * import { AuthenticationError } from '@wigwag/sdk'
 * const mustSignIn = (error: unknown) => error instanceof AuthenticationError
 */
export class AuthenticationError extends GatewayError {
  static override readonly [kind]: string = 'AuthenticationError'
  override name = 'AuthenticationError'
}

/**
 * The wallet does not have enough money (402). Nothing was sent.
 * @example
 * import { InsufficientFundsError } from '@wigwag/sdk'
 * const mustTopUp = (error: unknown) => error instanceof InsufficientFundsError
 */
export class InsufficientFundsError extends GatewayError {
  static override readonly [kind]: string = 'InsufficientFundsError'
  override name = 'InsufficientFundsError'
}

/**
 * The requested resource does not exist (404).
 * @example
 * import { NotFoundError } from '@wigwag/sdk'
 * const isUnknown = (error: unknown) => error instanceof NotFoundError
 */
export class NotFoundError extends GatewayError {
  static override readonly [kind]: string = 'NotFoundError'
  override name = 'NotFoundError'
}

/**
 * The request is not valid (400, 413, 415, 422). `errors` lists the fields at fault.
 * @example
 * import { ValidationError } from '@wigwag/sdk'
 * const fields = (error: unknown) => (error instanceof ValidationError ? error.errors.map((e) => e.pointer) : [])
 */
export class ValidationError extends GatewayError {
  static override readonly [kind]: string = 'ValidationError'
  override name = 'ValidationError'
}

/**
 * Too many requests (429). `retryAfter` says how many seconds to wait.
 * @example
 * import { RateLimitError } from '@wigwag/sdk'
 * const pause = (error: unknown) => (error instanceof RateLimitError ? (error.retryAfter ?? 1) : 0)
 */
export class RateLimitError extends GatewayError {
  static override readonly [kind]: string = 'RateLimitError'
  override name = 'RateLimitError'
}
