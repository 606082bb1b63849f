import { timingSafeEqual } from 'node:crypto'
import { Problem } from '../domain/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { Credentials, Identify, Principal } from '../platform/http/principal.ts'
import { accountMoving } from '../platform/http/problems.ts'
import { sendersOf } from './accounts.ts'
import type { KeyUses } from './key-uses.ts'
import { findWalletKey, type KnownKey, keysOfClient, type WalletKey, works } from './keys.ts'
import { readMovingMark } from './moving-mark.ts'
import { digestOf } from './secrets.ts'

export interface IdentifyOptions {
  database: Database
  clock: Pick<Clock, 'now'>
  uses: Pick<KeyUses, 'note'>
}

/** Identifies callers by Basic credentials and wallet token. While a key is replaced, the old one works as well. */
export function createIdentify({ database, clock, uses }: IdentifyOptions): Identify {
  async function clientKey({ clientId, clientSecret }: Credentials): Promise<KnownKey> {
    const keys = await database.read((tx) => keysOfClient(tx, clientId))
    const digest = digestOf(clientSecret)
    const key = keys.find(({ stored }) => sameText(stored, digest))
    if (!key || !works(key, clock.now())) throw unknownCredentials()
    if (key.status === 'suspended') throw await whySuspended(key)
    return key
  }

  /** Who moves comes back, maybe after hours: a client that repeats loses nothing, and one that gives up knows why. */
  async function whySuspended({ accountId }: KnownKey): Promise<Problem> {
    const mark = await database.read((tx) => readMovingMark(tx, accountId))
    return mark ? accountMoving() : accountSuspended()
  }

  async function walletKey(accountId: string, token: string): Promise<WalletKey> {
    const key = await database.read((tx) => findWalletKey(tx, digestOf(token)))
    if (key?.accountId === accountId && works(key, clock.now())) return key
    throw new Problem('wallet_forbidden', 'The token in X-Wallet opens no wallet of this account.')
  }

  return async function identify(credentials, walletToken) {
    const client = await clientKey(credentials)
    const { accountId } = client
    const senders = await database.read((tx) => statusOfSenders(tx, accountId))
    const principal = { accountId, clientId: credentials.clientId, senders, ...old(client) }
    if (walletToken === undefined) {
      uses.note(client)
      return principal
    }
    const wallet = await walletKey(accountId, walletToken)
    for (const key of [client, wallet]) uses.note(key)
    return { ...principal, wallet: wallet.wallet, ...old(wallet) }
  }
}

/** A key that was replaced has an end. */
function old({ endsAt }: Pick<KnownKey, 'endsAt'>): { withOldKey?: true } {
  return endsAt > 0 ? { withOldKey: true } : {}
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
