import { timingSafeEqual } from 'node:crypto'
import type { Parts } from '../flow/parts.ts'
import { Problem } from '../kernel/errors.ts'
import { type OperatorContact, operatorWords } from '../kernel/operator-contact.ts'
import type { Credentials, Principal } from '../kernel/principal.ts'
import type { Clock } from '../kernel/process/clock.ts'
import { accountMoving } from '../net/server/problems.ts'
import type { Database, Tx } from '../store/database.ts'
import { readMovingMark } from './change.ts'
import type { KeyUses } from './key-uses.ts'
import { type ClientKey, findWalletKey, keysOfClient, type WalletKey, works } from './keys.ts'
import { digestOf } from './secrets.ts'
import { sendersOf } from './senders.ts'

interface Identifying extends Pick<Parts, 'database'> {
  clock: Pick<Clock, 'now'>
  uses: Pick<KeyUses, 'note'>
  operator: OperatorContact
}

/** Identifies a caller by Basic credentials and wallet token. While a key is replaced, the old one works as well. */
export async function identify(
  parts: Identifying,
  credentials: Credentials,
  walletToken: string | undefined,
): Promise<Principal> {
  const client = await clientKey(parts, credentials)
  const { accountId } = client
  const senders = await parts.database.read((tx) => statusOfSenders(tx, accountId))
  const { clientId } = credentials
  const principal = { accountId, clientId, keyId: client.id, senders, ...old(client) }
  if (walletToken === undefined) {
    parts.uses.note(client)
    return principal
  }
  const wallet = await walletKey(parts, accountId, walletToken)
  for (const key of [client, wallet]) parts.uses.note(key)
  return { ...principal, wallet: wallet.wallet, ...old(wallet) }
}

async function clientKey(
  { database, clock, operator }: Identifying,
  { clientId, clientSecret }: Credentials,
): Promise<ClientKey> {
  const keys = await database.read((tx) => keysOfClient(tx, clientId))
  const digest = digestOf(clientSecret)
  const key = keys.find(({ stored }) => sameText(stored, digest))
  if (!key || !works(key, clock.now())) throw unknownCredentials()
  if (key.status === 'suspended') throw await whySuspended(database, operator, key)
  return key
}

/** A moving account comes back, perhaps after hours: its clients are told so, and may repeat the request. */
async function whySuspended(
  database: Database,
  operator: OperatorContact,
  { accountId }: ClientKey,
): Promise<Problem> {
  const mark = await database.read((tx) => readMovingMark(tx, accountId))
  return mark ? accountMoving() : accountSuspended(operator)
}

async function walletKey(
  { database, clock }: Identifying,
  accountId: string,
  token: string,
): Promise<WalletKey> {
  const key = await database.read((tx) => findWalletKey(tx, digestOf(token)))
  if (key?.accountId === accountId && works(key, clock.now())) return key
  throw new Problem('wallet_forbidden', 'The token in X-Wallet opens no wallet of this account.')
}

/** A key that was replaced has an end. */
function old({ endsAt }: Pick<ClientKey, 'endsAt'>): { withOldKey?: true } {
  return endsAt > 0 ? { withOldKey: true } : {}
}

/** The account's sender IDs with their status, for its principal. */
export async function statusOfSenders(tx: Tx, accountId: string): Promise<Principal['senders']> {
  const senders = await sendersOf(tx, accountId)
  return new Map(senders.map(({ sender, status }) => [sender, status]))
}

/** The problem for a suspended account. */
export function accountSuspended(operator: OperatorContact): Problem {
  return new Problem('account_suspended', `The account is suspended. Ask ${operatorWords(operator)}.`)
}

function unknownCredentials(): Problem {
  return new Problem('invalid_credentials', 'This client ID and client secret are not known together.', {
    headers: { 'www-authenticate': 'Basic realm="wigwag", charset="UTF-8"' },
  })
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}
