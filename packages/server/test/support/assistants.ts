import { randomUUID } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { membersOf } from '../../src/accounts/people/rows.ts'
import { digestOf } from '../../src/accounts/secrets.ts'
import type { ConnectionLimits, Giver } from '../../src/assistants/connections.ts'
import { putRecord } from '../../src/assistants/oauth/records.ts'
import type { Gateway } from '../../src/gateway/compose.ts'
import { epochMs } from '../../src/kernel/ids.ts'
import { walletsOf } from '../../src/money/wallets.ts'

/** An owner of an account, who looks after all of its connections. */
export function asOwner(accountId: string): Giver {
  return { personId: 'an-owner', accountId, role: 'owner' }
}

export type Served = Pick<Gateway, 'connections' | 'delegation' | 'database'>

export interface Assistant {
  id: string
  grantId: string
  /** Headers that prove it, in place of the client's credentials and the wallet's token. */
  headers: { authorization: string; 'x-wallet': undefined }
}

/** Limits that no test reaches by accident. */
export const WIDE: ConnectionLimits = {
  dailySpend: micros(1_000_000_000),
  dailyMessages: 1_000,
  recipients: undefined,
  unasked: 'send',
}

interface TokenOptions {
  /** The address of the tools that it is for. */
  resource: string
  limits?: ConnectionLimits | 'only reading'
}

/** Lets an assistant in, and gives it a token for the tools, as the authorization server would have. */
export async function assistantToken(
  gateway: Served,
  accountId: string,
  { resource, limits = WIDE }: TokenOptions,
): Promise<string> {
  const { id, grantId } = await connect(gateway, accountId, limits)
  const token = `token-of-${id}`
  const now = Date.now()
  const exp = Math.floor(now / 1_000) + 900
  const scope = limits === 'only reading' ? 'sms:read' : 'sms:read sms:send'
  const client = { accountId, clientId: 'assistant' }
  const payload = { kind: 'AccessToken', ...client, aud: resource, scope, grantId, exp, iat: exp - 900 }
  const record = { model: 'AccessToken', id: digestOf(token), payload: JSON.stringify(payload), grantId }
  await gateway.database.write((tx) => putRecord(tx, { ...record, expiresAt: exp * 1_000 }, epochMs(now)))
  return token
}

/** Lets an assistant into an account, as a person does at consent: its owner unless told otherwise. */
export async function connect(
  gateway: Served,
  accountId: string,
  limits: ConnectionLimits | 'only reading' = WIDE,
  person?: string,
): Promise<Assistant> {
  const canSend = limits !== 'only reading'
  const grantId = randomUUID()
  const id = await gateway.connections.create({
    accountId,
    personId: person ?? (await ownerIdOf(gateway, accountId)),
    walletId: await walletIdOf(gateway, accountId),
    grantId,
    clientId: 'https://assistant.example/client.json',
    clientName: 'Assistant',
    redirectHost: 'assistant.example',
    limits: canSend ? limits : undefined,
  })
  if (id === undefined) throw new Error(`account ${accountId} let in no assistant`)
  return { id, grantId, headers: await tokenFor(gateway, id, canSend) }
}

/** Another token of a connection. */
export async function tokenFor(
  { delegation }: Served,
  id: string,
  canSend = true,
): Promise<Assistant['headers']> {
  const { accessToken } = await delegation.issue(id, canSend)
  return { authorization: `Bearer ${accessToken}`, 'x-wallet': undefined }
}

export async function walletIdOf({ database }: Served, accountId: string): Promise<string> {
  const [wallet] = await database.read((tx) => walletsOf(tx, accountId))
  if (!wallet) throw new Error(`account ${accountId} has no wallet`)
  return wallet.id
}

/** The person who owns an account. */
export async function ownerIdOf({ database }: Pick<Served, 'database'>, accountId: string): Promise<string> {
  const [owner] = await database.read((tx) => membersOf(tx, accountId))
  if (!owner) throw new Error(`account ${accountId} has no owner`)
  return owner.personId
}
