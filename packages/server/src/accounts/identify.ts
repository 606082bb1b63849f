import { timingSafeEqual } from 'node:crypto'
import { Problem } from '../domain/errors.ts'
import { findWalletByToken } from '../money/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Credentials, Identify, Principal } from '../platform/http/principal.ts'
import { findClient, sendersOf } from './accounts.ts'
import { digestOf } from './secrets.ts'

/** Identifies callers by Basic credentials and wallet token. */
export function createIdentify(database: Database): Identify {
  async function client({ clientId, clientSecret }: Credentials): Promise<Principal> {
    return database.read(async (tx) => {
      const known = await findClient(tx, clientId)
      if (!known || !sameText(known.secretHash, digestOf(clientSecret))) throw unknownCredentials()
      if (known.status === 'suspended') throw accountSuspended()
      const { accountId } = known
      return { accountId, clientId, senders: await statusOfSenders(tx, accountId) }
    })
  }

  return async function identify(credentials, walletToken) {
    const principal = await client(credentials)
    if (walletToken === undefined) return principal
    const wallet = await database.read((tx) => findWalletByToken(tx, digestOf(walletToken)))
    if (wallet?.accountId !== principal.accountId) {
      throw new Problem('wallet_forbidden', 'The token in X-Wallet opens no wallet of this account.')
    }
    return { ...principal, wallet: { id: wallet.id, currency: wallet.currency } }
  }
}

/** The account's sender IDs with their status, for its principal. */
export async function statusOfSenders(tx: Tx, accountId: string): Promise<Principal['senders']> {
  const senders = await sendersOf(tx, accountId)
  return new Map(senders.map(({ sender, status }) => [sender, status]))
}

/** The problem for a suspended account. */
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
