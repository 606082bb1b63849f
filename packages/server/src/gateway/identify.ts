import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import { findClient, findWalletByToken, sendersOf } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import type { Principal, WalletPrincipal } from './principal.ts'

/** What a request shows of its caller, as it came. */
export interface Credentials {
  clientId: string
  clientSecret: string
}

/**
 * Secrets and tokens are long and random, so one round of a plain digest keeps them: there is nothing to guess
 * that a slow one would protect.
 */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}

export interface Identify {
  client(credentials: Credentials): Promise<Principal>
  wallet(credentials: Credentials, walletToken: string): Promise<WalletPrincipal>
}

export interface IdentifyOptions {
  database: Database
  clock: Clock
  /** How long an answer may be used again: how late a suspension or a new secret is seen. */
  cacheMs: number
}

const MOST_CACHED = 10_000

/** Finds out who is calling. Answers are remembered for a moment, so that a busy client is looked up once. */
export function createIdentify({ database, clock, cacheMs }: IdentifyOptions): Identify {
  const clients = remember((key: string) => lookUpClient(key), cacheMs, clock)
  const wallets = remember((key: string) => lookUpWallet(key), cacheMs, clock)

  async function lookUpClient(key: string): Promise<Principal> {
    const [clientId = '', secretHash = ''] = key.split('\n')
    return database.read(async (connection) => {
      const client = await findClient(connection, clientId)
      if (!client || !sameText(client.secretHash, secretHash)) throw unknownCredentials()
      if (client.status === 'suspended') {
        throw new Problem('account_suspended', 'The account is suspended. Ask its operator.')
      }
      const senders = await sendersOf(connection, client.accountId)
      return {
        accountId: client.accountId,
        clientId,
        senders: new Map(senders.map(({ sender, status }) => [sender, status])),
      }
    })
  }

  async function lookUpWallet(tokenHash: string) {
    const row = await database.read((connection) => findWalletByToken(connection, tokenHash))
    return row && { id: row.id, currency: row.currency, accountId: row.accountId }
  }

  const identifyClient = ({ clientId, clientSecret }: Credentials) => {
    // A line break can be in no stored id, and would let two different pairs share a key.
    if (clientId.includes('\n')) return Promise.reject(unknownCredentials())
    return clients(`${clientId}\n${digestOf(clientSecret)}`)
  }

  return {
    client: identifyClient,
    async wallet(credentials, walletToken) {
      const principal = await identifyClient(credentials)
      const wallet = await wallets(digestOf(walletToken))
      if (wallet?.accountId !== principal.accountId) {
        throw new Problem('wallet_forbidden', 'The token in X-Wallet opens no wallet of this account.')
      }
      return { ...principal, wallet: { id: wallet.id, currency: wallet.currency } }
    },
  }
}

function unknownCredentials(): Problem {
  return new Problem('invalid_credentials', 'This client ID and client secret are not known together.', {
    headers: { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' },
  })
}

/** Remembers answers for a while. A look-up under way is shared; a failed one is forgotten at once. */
function remember<V>(
  lookUp: (key: string) => Promise<V>,
  forMs: number,
  clock: Clock,
): (key: string) => Promise<V> {
  const known = new Map<string, { until: number; value: Promise<V> }>()
  return function recall(key) {
    const now = clock.now()
    const hit = known.get(key)
    if (hit && hit.until > now) return hit.value
    if (known.size >= MOST_CACHED) known.clear()
    const value = lookUp(key)
    known.set(key, { until: now + forMs, value })
    value.catch(() => known.delete(key))
    return value
  }
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
