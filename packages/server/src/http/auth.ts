import { Problem } from '../domain/errors.ts'
import type { Credentials, Identify } from '../gateway/identify.ts'
import type { Principal } from '../gateway/principal.ts'
import type { HttpContext } from './body.ts'

const WALLET_TOKEN = /^Token ([!-~]{1,256})$/i
const CHALLENGE = { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' }

/** Reads the credentials of a request by hand: a middleware would make a web Request real, and cost three times as much. */
export function createAuthenticate(identify: Identify) {
  return function authenticate(c: HttpContext, { wallet }: { wallet: boolean }): Promise<Principal> {
    const credentials = basicCredentials(c.req.header('authorization'))
    return wallet
      ? identify.wallet(credentials, walletToken(c.req.header('x-wallet')))
      : identify.client(credentials)
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
