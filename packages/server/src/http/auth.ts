import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import type { Credentials, Identify } from '../gateway/identify.ts'
import type { Principal, Scope } from '../gateway/principal.ts'
import { insufficientScope, invalidToken } from '../gateway/token-problems.ts'
import type { HttpContext } from './body.ts'

const WALLET_TOKEN = /^Token ([!-~]{1,256})$/i
const BEARER = /^Bearer(?:\s|$)/i
const ACCESS_TOKEN = /^Bearer +([A-Za-z0-9._~+/-]{1,256}=*)$/i
const CHALLENGE = { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' }

/** How many answers are remembered at a time. */
const MOST_REMEMBERED = 10_000

/** What an operation wants to be shown. */
export interface Wants {
  wallet: boolean
  /** What an access token must be good for; without it, none is taken. */
  scope?: Scope
}

export interface AuthenticateOptions {
  identify: Identify
  /** Who calls with an access token; throws the problem that turns the caller away. */
  identifyBearer(accessToken: string): Promise<Principal>
  clock: Clock
  /** How long an answer may be used again: how late a suspension or a new secret is seen. */
  rememberMs: number
}

/**
 * Reads the credentials of a request by hand: a middleware would make a web Request real, and cost three times as
 * much. Answers are remembered for a moment by the very text of the headers, so that a busy client is decoded and
 * looked up once; a look-up under way is shared, and a failed one is forgotten at once. Answers about access tokens are
 * never remembered, so that whoever revokes a connection has revoked it.
 */
export function createAuthenticate({ identify, identifyBearer, clock, rememberMs }: AuthenticateOptions) {
  const known = new Map<string, Promise<Principal>>()
  let forgetAt = 0

  async function bearer(authorization: string, scope: Scope): Promise<Principal> {
    const accessToken = ACCESS_TOKEN.exec(authorization)?.[1]
    if (accessToken === undefined) throw invalidToken()
    const principal = await identifyBearer(accessToken)
    if (scope === 'sms:send' && !principal.connection?.canSend) throw insufficientScope(scope)
    return principal
  }

  return function authenticate(c: HttpContext, { wallet, scope }: Wants): Promise<Principal> {
    const authorization = c.req.header('authorization')
    const token = wallet ? c.req.header('x-wallet') : undefined
    // No header has a line break, so two different pairs never share a key.
    const key = wallet ? `${authorization}\n${token}` : `${authorization}`
    const elapsed = clock.elapsed()
    if (elapsed >= forgetAt || known.size >= MOST_REMEMBERED) {
      known.clear()
      forgetAt = elapsed + rememberMs
    }
    const remembered = known.get(key)
    if (remembered) return remembered
    if (scope && authorization && BEARER.test(authorization)) return bearer(authorization, scope)
    const found = identify(basicCredentials(authorization), wallet ? walletToken(token) : undefined)
    known.set(key, found)
    found.catch(() => known.delete(key))
    return found
  }
}

/** The credentials of a request that shows a wallet's token as well. */
export function credentialsOf(c: HttpContext): Credentials & { walletToken: string } {
  return {
    ...basicCredentials(c.req.header('authorization')),
    walletToken: walletToken(c.req.header('x-wallet')),
  }
}

function basicCredentials(header: string | undefined): Credentials {
  const encoded = header && /^Basic\s+([A-Za-z0-9+/]+={0,2})\s*$/i.exec(header)?.[1]
  const decoded = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : ''
  const colon = decoded.indexOf(':')
  // No client is called by a zero character, and PostgreSQL takes none.
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
