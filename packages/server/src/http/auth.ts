import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import type { Credentials, Identify } from '../gateway/identify.ts'
import type { Principal } from '../gateway/principal.ts'
import type { HttpContext } from './body.ts'

const WALLET_TOKEN = /^Token ([!-~]{1,256})$/i
const CHALLENGE = { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' }

/** How many answers are remembered at a time. */
const MOST_REMEMBERED = 10_000

export interface AuthenticateOptions {
  identify: Identify
  clock: Clock
  /** How long an answer may be used again: how late a suspension or a new secret is seen. */
  rememberMs: number
}

/**
 * Reads the credentials of a request by hand: a middleware would make a web Request real, and cost three times as
 * much. Answers are remembered for a moment by the very text of the headers, so that a busy client is decoded and
 * looked up once; a look-up under way is shared, and a failed one is forgotten at once.
 */
export function createAuthenticate({ identify, clock, rememberMs }: AuthenticateOptions) {
  const known = new Map<string, Promise<Principal>>()
  let forgetAt = 0

  return function authenticate(c: HttpContext, { wallet }: { wallet: boolean }): Promise<Principal> {
    const authorization = c.req.header('authorization')
    const token = wallet ? c.req.header('x-wallet') : undefined
    // No header has a line break, so two different pairs never share a key.
    const key = wallet ? `${authorization}\n${token}` : `${authorization}`
    const now = clock.now()
    if (now >= forgetAt || known.size >= MOST_REMEMBERED) {
      known.clear()
      forgetAt = now + rememberMs
    }
    const remembered = known.get(key)
    if (remembered) return remembered
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
  if (colon > 0) return { clientId: decoded.slice(0, colon), clientSecret: decoded.slice(colon + 1) }
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
