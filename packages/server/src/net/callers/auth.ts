import { Problem } from '../../kernel/errors.ts'
import type { Credentials, Identify, Principal, Scope } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import type { HttpContext } from '../server/body.ts'
import { insufficientScope, invalidToken } from '../server/problems.ts'

const WALLET_TOKEN = /^Token ([!-~]{1,256})$/i
const BEARER = /^Bearer(?:\s|$)/i
const ACCESS_TOKEN = /^Bearer +([A-Za-z0-9._~+/-]{1,256}=*)$/i
const CHALLENGE = { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' }

/** How many results are cached at a time. */
const MOST_REMEMBERED = 10_000
/** So many places from where the same credentials come are told apart at a time. */
const MOST_PLACES = 100

/** The credentials that an operation requires. */
export interface Wants {
  wallet: boolean
  /** The scope that an access token must have. Without it, the operation takes no access tokens. */
  scope?: Scope
}

/** Credentials that were looked up, and the places from where they came since. */
interface Known {
  found: Promise<Principal>
  places: Set<string>
}

/**
 * Reads the credentials itself: a middleware would build a web Request, at three times the cost. Results are
 * cached briefly by the exact header text, concurrent look-ups are shared, and failures are not cached. Access tokens
 * are never cached, so that revoking a connection takes effect at once.
 */
export class Authentication {
  readonly #identify: Identify
  readonly #identifyBearer: (accessToken: string) => Promise<Principal>
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #rememberMs: number
  readonly #onCaller: ((principal: Principal, c: HttpContext) => void) | undefined
  readonly #known = new Map<string, Known>()
  #forgetAt = 0

  constructor(own: {
    identify: Identify
    /** The principal of an access token. Throws a problem when the token is not valid. */
    identifyBearer(accessToken: string): Promise<Principal>
    clock: Pick<Clock, 'elapsed'>
    /** How long a result is cached, and so how late a suspension or a new secret takes effect. */
    rememberMs: number
    /** Called when credentials are right, once for each place from where they come, or more often. */
    onCaller?: (principal: Principal, c: HttpContext) => void
  }) {
    this.#identify = own.identify
    this.#identifyBearer = own.identifyBearer
    this.#clock = own.clock
    this.#rememberMs = own.rememberMs
    this.#onCaller = own.onCaller
  }

  readonly authenticate = (c: HttpContext, { wallet, scope }: Wants): Promise<Principal> => {
    const authorization = c.req.header('authorization')
    const token = wallet ? c.req.header('x-wallet') : undefined
    // Headers cannot contain a line break, so two different pairs never share a key.
    const key = wallet ? `${authorization}\n${token}` : `${authorization}`
    const known = this.#known
    const elapsed = this.#clock.elapsed()
    if (elapsed >= this.#forgetAt || known.size >= MOST_REMEMBERED) {
      known.clear()
      this.#forgetAt = elapsed + this.#rememberMs
    }
    let one = known.get(key)
    if (!one) {
      if (scope && authorization && BEARER.test(authorization)) return this.#bearer(authorization, scope)
      const found = this.#identify(basicCredentials(authorization), wallet ? walletToken(token) : undefined)
      one = { found, places: new Set() }
      known.set(key, one)
      found.catch(() => known.delete(key))
    }
    this.#place(c, one)
    const { found } = one
    return c.env?.forTools ? found.then((principal) => ({ ...principal, forTools: true })) : found
  }

  #place(c: HttpContext, { found, places }: Known): void {
    if (!this.#onCaller) return
    const place = `${c.env?.incoming?.socket.remoteAddress} ${c.req.header('x-forwarded-for')}`
    if (places.has(place)) return
    if (places.size >= MOST_PLACES) places.clear()
    places.add(place)
    found.then(
      (principal) => this.#onCaller?.(principal, c),
      () => {},
    )
  }

  async #bearer(authorization: string, scope: Scope): Promise<Principal> {
    const accessToken = ACCESS_TOKEN.exec(authorization)?.[1]
    if (accessToken === undefined) throw invalidToken()
    const principal = await this.#identifyBearer(accessToken)
    if (scope === 'sms:send' && !principal.connection?.canSend) throw insufficientScope(scope)
    return principal
  }
}

/** The Basic credentials and wallet token of a request. Throws a problem when either is missing. */
export function credentialsOf(c: HttpContext): Credentials & { walletToken: string } {
  return {
    ...basicCredentials(c.req.header('authorization')),
    walletToken: walletToken(c.req.header('x-wallet')),
  }
}

const CLIENT_ID = /^[\w.-]{1,100}$/

/** The client ID that a request gives, proven or not; undefined where it gives none. */
export function clientIdOf(c: HttpContext): string | undefined {
  const basic = /^Basic\s+([A-Za-z0-9+/]{1,400}={0,2})\s*$/i.exec(c.req.header('authorization') ?? '')?.[1]
  const given =
    Buffer.from(basic ?? '', 'base64')
      .toString('utf8')
      .split(':', 1)[0] ?? ''
  return CLIENT_ID.test(given) ? given : undefined
}

function basicCredentials(header: string | undefined): Credentials {
  const encoded = header && /^Basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(header)?.[1]
  const decoded = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : ''
  const colon = decoded.indexOf(':')
  // PostgreSQL rejects zero characters, and no client id contains one.
  if (colon > 0 && !decoded.includes('\0'))
    return { clientId: decoded.slice(0, colon), clientSecret: decoded.slice(colon + 1) }
  const came = header ? 'something else came' : 'the header is missing'
  throw new Problem(
    'invalid_credentials',
    `Expected the header Authorization: Basic base64(<client_id>:<client_secret>); ${came}.`,
    { headers: CHALLENGE },
  )
}

function walletToken(header: string | undefined): string {
  const token = header && WALLET_TOKEN.exec(header)?.[1]
  if (token) return token
  const came = header === undefined ? 'the header is missing' : 'something else came'
  throw new Problem('wallet_token_missing', `Expected the header X-Wallet: Token <WALLET_TOKEN>; ${came}.`, {
    headers: CHALLENGE,
  })
}
