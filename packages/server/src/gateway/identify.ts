import { hash, timingSafeEqual } from 'node:crypto'
import { Problem } from '../domain/errors.ts'
import { findClient, findWalletByToken, sendersOf } from '../store/accounts.ts'
import type { Connection, Database } from '../store/database.ts'
import type { Principal } from './principal.ts'

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

/** Finds out who is calling; throws the problem that turns the caller away. */
export type Identify = (credentials: Credentials, walletToken: string | undefined) => Promise<Principal>

export function createIdentify(database: Database): Identify {
  async function client({ clientId, clientSecret }: Credentials): Promise<Principal> {
    return database.read(async (connection) => {
      const known = await findClient(connection, clientId)
      if (!known || !sameText(known.secretHash, digestOf(clientSecret))) throw unknownCredentials()
      if (known.status === 'suspended') throw accountSuspended()
      const { accountId } = known
      return { accountId, clientId, senders: await statusOfSenders(connection, accountId) }
    })
  }

  return async function identify(credentials, walletToken) {
    const principal = await client(credentials)
    if (walletToken === undefined) return principal
    const wallet = await database.read((connection) => findWalletByToken(connection, digestOf(walletToken)))
    if (wallet?.accountId !== principal.accountId) {
      throw new Problem('wallet_forbidden', 'The token in X-Wallet opens no wallet of this account.')
    }
    return { ...principal, wallet: { id: wallet.id, currency: wallet.currency } }
  }
}

/** The account's sender IDs, as a principal knows them. */
export async function statusOfSenders(
  connection: Connection,
  accountId: string,
): Promise<Principal['senders']> {
  const senders = await sendersOf(connection, accountId)
  return new Map(senders.map(({ sender, status }) => [sender, status]))
}

export function accountSuspended(): Problem {
  return new Problem('account_suspended', 'The account is suspended. Ask its operator.')
}

function unknownCredentials(): Problem {
  return new Problem('invalid_credentials', 'This client ID and client secret are not known together.', {
    headers: { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' },
  })
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
