import { toBase64 } from './base64.ts'
import type { Hooks } from './watch.ts'

/**
 * Which sends may be repeated when their fate is not known.
 *
 * - `with-key`: the gateway honours `Idempotency-Key`, as Wigwag does, so that a repeat can't send twice.
 * - `when-safe`: the gateway doesn't know the key. Only what surely was not taken is repeated,
 *   such as after a 429 or when no connection was made.
 * - `always`: repeat all the same. A message may go out, and be charged, twice.
 * @example
 * import { createClient, type Resend } from '@wigwag/sdk'
 * const resend: Resend = 'when-safe'
 * const sms = createClient({ baseUrl: 'https://old.example.com', accessToken: 'token', resend })
 */
export type Resend = 'with-key' | 'when-safe' | 'always'

/**
 * The credentials of a client: its ID, its secret and its wallet's token, or a delegated access token.
 * @example
 * import type { Credentials } from '@wigwag/sdk'
 * const credentials: Credentials = { clientId: 'acme', clientSecret: 'secret', walletToken: 'wallet' }
 */
export type Credentials =
  | { clientId: string; clientSecret: string; walletToken: string; accessToken?: never }
  | { accessToken: string; clientId?: never; clientSecret?: never; walletToken?: never }

/**
 * Time as the client sees it. Give one of your own to move time in a test.
 * @example
 * import { type Clock, createClient } from '@wigwag/sdk'
 * const clock: Clock = { now: () => 0, sleep: async () => {} }
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token', clock })
 */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after some milliseconds; rejects with the signal's reason when that aborts first. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>
}

/**
 * What every call takes. What a call leaves out is taken from the client.
 * @example
 * import { type CallOptions, createClient } from '@wigwag/sdk'
 * const sms = createClient({ baseUrl: 'http://127.0.0.1:8080', accessToken: 'token' })
 * const patient: CallOptions = { timeout: 60_000, retries: 5 }
 * await sms.getBalance(patient)
 */
export interface CallOptions {
  /** Milliseconds that one attempt may take, its answer read; 30,000 unless given. */
  timeout?: number | undefined
  /** Ends the call, pauses between attempts included. The call rejects with the signal's reason. */
  signal?: AbortSignal | undefined
  /** How many times to repeat a request that failed in passing; 2 unless given. */
  retries?: number | undefined
  /** The key of a send. One is made for each call that brings none. */
  idempotencyKey?: string | undefined
  /** Headers to add. */
  headers?: Record<string, string> | undefined
  /** Which sends may be repeated; `with-key` unless given. */
  resend?: Resend | undefined
}

/**
 * What a client is made with.
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
    /** Where the gateway is, such as `https://sms.example.com`. */
    baseUrl: string
    /** Used in place of the global `fetch`. */
    fetch?: ((request: Request) => Response | Promise<Response>) | undefined
    /** Used in place of the global `fetch` too, and called as that is: with an address and what to send. */
    transport?: ((input: string | Request, init?: RequestInit) => Promise<Response>) | undefined
    /** Used in place of the machine's time. */
    clock?: Clock | undefined
    /** Used in place of `Math.random`, to spread the pauses between attempts. */
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
