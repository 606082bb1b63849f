import { toBase64 } from './callbacks/base64.ts'
import { checkNumber, shown } from './check.ts'
import { environment } from './environment.ts'
import type { FetchInit, FetchResponse } from './fetch.ts'
import { userAgent } from './user-agent.ts'
import type { Hooks } from './watch.ts'

/**
 * Which sends may be repeated when it is unknown whether they were carried out.
 *
 * - `with-key`: the gateway honours `Idempotency-Key`, as Wigwag does, so a repeat can't send twice.
 * - `when-safe`: the gateway does not support the key. Only a send that was certainly not accepted is repeated,
 *   such as after a 429 or when no connection was made.
 * @example
 * import { createClient, type Resend } from '@wigwag/sdk'
 * const resend: Resend = 'when-safe'
 * const sms = createClient({ baseUrl: 'https://old.example.com', accessToken: 'token', resend })
 */
export type Resend = 'with-key' | 'when-safe'

/**
 * A client's credentials: its ID, secret and wallet token, all three, or a delegated access token.
 * @example
 * import type { Credentials } from '@wigwag/sdk'
 * const credentials: Credentials = { clientId: 'acme', clientSecret: 'secret', walletToken: 'wallet' }
 */
export type Credentials =
  | {
      clientId: string | undefined
      clientSecret: string | undefined
      walletToken: string | undefined
      accessToken?: never
    }
  | { accessToken?: string | undefined; clientId?: never; clientSecret?: never; walletToken?: never }

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
  /** Milliseconds that the whole call may take, with all attempts and the pauses between; no limit by default. */
  deadline?: number | undefined
  /** Aborts the call, also during a pause between attempts. It rejects with an `AbortedError`, whose cause is the reason. */
  signal?: AbortSignal | undefined
  /** How many times to repeat a request after a temporary failure; 2 by default. */
  retries?: number | undefined
  /**
   * The idempotency key of a send. By default a new one is made for each call. The gateway keeps it for 24 hours: until
   * then the same key can't send twice, after that it sends again. To repeat a send later than that, give the message a
   * `Reference` and look for it first, with `searchMessages({ Reference })`.
   */
  idempotencyKey?: string | undefined
  /** Headers to add. A `user-agent` takes the place of the SDK's own, `wigwag-sdk` with its version and the runtime's. */
  headers?: Record<string, string> | undefined
  /** Which sends may be repeated; `with-key` by default. */
  resend?: Resend | undefined
}

/**
 * The options of `createClient`. The address, the credentials and the sender that are left out are read from the
 * environment: `WIGWAG_BASE_URL`, `WIGWAG_CLIENT_ID`, `WIGWAG_CLIENT_SECRET` and `WIGWAG_WALLET_TOKEN`, or
 * `WIGWAG_ACCESS_TOKEN`, and `WIGWAG_FROM`.
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
  Pick<CallOptions, 'timeout' | 'deadline' | 'retries' | 'headers' | 'resend'> & {
    /** The gateway's address, such as `https://sms.example.com`. */
    baseUrl?: string | URL | undefined
    /** The sender of messages that name none. */
    from?: string | undefined
    /** Replaces the global `fetch`. */
    fetch?: ((url: string, init: FetchInit) => FetchResponse | Promise<FetchResponse>) | undefined
    /** Replaces the machine's time. */
    clock?: Clock | undefined
  }

/** Where a client calls, and the headers of all its calls. */
export interface Place {
  baseUrl: string
  headers: Record<string, string>
}

/**
 * Checks the options of a client. A wrong option throws at once, a missing one only at the first use: a build
 * may import the program where there are no credentials.
 */
export function placeOf(options: ClientOptions): () => Place {
  checkLimits(options)
  const given = options.baseUrl === undefined ? undefined : addressIn('baseUrl', options.baseUrl)
  let place: Place | undefined
  return () => {
    place ??= {
      baseUrl:
        given ?? addressIn('baseUrl, or WIGWAG_BASE_URL in the environment,', environment('WIGWAG_BASE_URL')),
      headers: { ...userAgent(), ...credentialHeaders(options), ...options.headers },
    }
    return place
  }
}

/** Checks the options that a client and a call have in common. */
export function checkLimits({ timeout, deadline, retries, resend, signal }: CallOptions): void {
  checkNumber('timeout', timeout, { least: 1 })
  checkNumber('deadline', deadline, { least: 1 })
  checkNumber('retries', retries, { least: 0, whole: true })
  if (resend !== undefined && resend !== 'with-key' && resend !== 'when-safe')
    throw new TypeError(`Expected resend to be 'with-key' or 'when-safe'; got ${shown(resend)}.`)
  if (signal !== undefined && signal !== null && typeof signal.addEventListener !== 'function')
    throw new TypeError(`Expected signal to be an AbortSignal; got ${shown(signal)}.`)
}

function addressIn(name: string, value: unknown): string {
  const text = value instanceof URL ? value.href : value
  // In a page, an address without a host is of the page's.
  const { location } = globalThis as { location?: { href: string } }
  let rule = 'an http or https address'
  if (typeof text === 'string' && text && URL.canParse(text, location?.href)) {
    const { protocol, username, password } = new URL(text, location?.href)
    if (username || password) rule = 'an address without a user name and password'
    else if (/^https?:$/.test(protocol)) return text.replace(/\/$/, '')
  }
  throw new TypeError(`Expected ${name} to be ${rule}, such as https://sms.example.com; got ${shown(text)}.`)
}

/** A message as it is sent, with the client's sender if it names none. */
export function withSender<Unsent extends { From?: string }>(
  message: Unsent,
  from: string | undefined,
): Unsent {
  if (message.From !== undefined) return message
  const From = from ?? environment('WIGWAG_FROM')
  if (From) return { ...message, From }
  throw new TypeError('Expected From in the message, in the option from or in WIGWAG_FROM; got none.')
}

/** Each credential, with its variable in the environment. */
const variables = {
  clientId: 'WIGWAG_CLIENT_ID',
  clientSecret: 'WIGWAG_CLIENT_SECRET',
  walletToken: 'WIGWAG_WALLET_TOKEN',
  accessToken: 'WIGWAG_ACCESS_TOKEN',
} as const
type Credential = keyof typeof variables
const together = ['clientId', 'clientSecret', 'walletToken'] as const

/** The headers that carry the credentials: those of the options, or where there are none those of the environment. */
function credentialHeaders(given: Credentials): Record<string, string> {
  // An empty text is given: the environment's may be another account's.
  const isGiven = [given.accessToken, ...together.map((name) => given[name])].some((one) => one !== undefined)
  const credential = (name: Credential) => (isGiven ? given[name] : environment(variables[name]))
  const accessToken = credential('accessToken')
  if (accessToken) return { Authorization: `Bearer ${accessToken}` }
  const missing = together.filter((name) => !credential(name))
  if (missing.length) {
    throw new TypeError(
      `Expected credentials, all from the options or all from the environment: ${named(together)}; or ` +
        `${named(['accessToken'])}. Missing or empty in the ${isGiven ? 'options' : 'environment'}: ${named(missing)}.`,
    )
  }
  const [clientId, clientSecret, walletToken] = together.map(credential)
  return {
    Authorization: `Basic ${toBase64(new TextEncoder().encode(`${clientId}:${clientSecret}`))}`,
    'X-Wallet': `Token ${walletToken}`,
  }
}

function named(credentials: readonly Credential[]): string {
  return credentials.map((name) => `${name} (${variables[name]})`).join(', ')
}
