import { toBase64 } from './callbacks/base64.ts'
import type { Hooks } from './watch.ts'

/**
 * Which sends may be repeated when it is unknown whether they were carried out.
 *
 * - `with-key`: the gateway honours `Idempotency-Key`, as Wigwag does, so a repeat can't send twice.
 * - `when-safe`: the gateway does not support the key. Only a send that was certainly not accepted is repeated,
 *   such as after a 429 or when no connection was made.
 * - `always`: repeat in any case. A message may be sent, and charged, twice.
 * @example
 * import { createClient, type Resend } from '@wigwag/sdk'
 * const resend: Resend = 'when-safe'
 * const sms = createClient({ baseUrl: 'https://old.example.com', accessToken: 'token', resend })
 */
export type Resend = 'with-key' | 'when-safe' | 'always'

/**
 * A client's credentials: its ID, secret and wallet token, or a delegated access token.
 * @example
 * import type { Credentials } from '@wigwag/sdk'
 * const credentials: Credentials = { clientId: 'acme', clientSecret: 'secret', walletToken: 'wallet' }
 */
export type Credentials =
  | { clientId: string; clientSecret: string; walletToken: string; accessToken?: never }
  | { accessToken: string; clientId?: never; clientSecret?: never; walletToken?: never }

/**
 * The client's source of time. Pass your own to control time in a test.
 * @example
 * import { type Clock, createClient } from '@wigwag/sdk'
 * const clock: Clock = { now: () => 0, sleep: async () => {} }
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', clock })
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after this time; rejects with the signal's reason if it aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/**
 * The options of every call. The client's options are the defaults.
 * @example
 * import { type CallOptions, createClient } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const patient: CallOptions = { timeout: 60_000, retries: 5 }
 * await sms.getBalance(patient)
 */
export interface CallOptions {
  /** Milliseconds that one attempt may take, including reading the response; 30,000 by default. */
  timeout?: number | undefined
  /** Aborts the call, also during a pause between attempts. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** How many times to repeat a request after a temporary failure; 2 by default. */
  retries?: number | undefined
  /** The idempotency key of a send. By default a new one is made for each call. */
  idempotencyKey?: string | undefined
  /** Headers to add. */
  headers?: Record<string, string> | undefined
  /** Which sends may be repeated; `with-key` by default. */
  resend?: Resend | undefined
}

/**
 * The options of `createClient`.
 * @example
 * import { type ClientOptions, createClient } from '@wigwag/sdk'
 * const options: ClientOptions = {
 *   baseUrl: 'http://127.0.0.1:8080',
 *   clientId: 'acme',
 *   clientSecret: 'secret',
 *   walletToken: 'wallet',
 *   logger: console,
 * }
 * const sms = createClient(options)
 */
export type ClientOptions = Credentials &
  Hooks &
  Pick<CallOptions, 'timeout' | 'retries' | 'headers' | 'resend'> & {
    /** The gateway's address, such as `https://sms.example.com`. */
    baseUrl: string
    /** Replaces the global `fetch`. Called with a `Request`. */
    fetch?: ((request: Request) => Response | Promise<Response>) | undefined
    /** Also replaces the global `fetch`, and is called like it: with a URL and a `RequestInit`, or with a `Request`. */
    transport?: ((input: string | Request, init?: RequestInit) => Promise<Response>) | undefined
    /** Replaces the machine's time. */
    clock?: Clock | undefined
    /** Replaces `Math.random`, which spreads the pauses between attempts. */
    random?: (() => number) | undefined
  }

/** The headers that carry the credentials. */
export function credentialHeaders(credentials: Credentials): Record<string, string> {
  const { accessToken, clientId, clientSecret, walletToken } = credentials
  if (accessToken) return { Authorization: `Bearer ${accessToken}` }
  if (!clientId || !clientSecret || !walletToken) {
    throw new TypeError('Expected credentials: clientId, clientSecret and walletToken, or accessToken.')
  }
  return {
    Authorization: `Basic ${toBase64(new TextEncoder().encode(`${clientId}:${clientSecret}`))}`,
    'X-Wallet': `Token ${walletToken}`,
  }
}
