import { randomUUID } from 'node:crypto'
import type { Gateway } from '../../src/compose.ts'
import { micros } from '../../src/domain/money.ts'
import type { ConnectionLimits } from '../../src/gateway/connections.ts'
import { walletsOf } from '../../src/store/accounts.ts'

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
}

/** Lets an assistant into an account, as the person does at consent. */
export async function connect(
  gateway: Served,
  accountId: string,
  limits: ConnectionLimits | 'only reading' = WIDE,
): Promise<Assistant> {
  const canSend = limits !== 'only reading'
  const grantId = randomUUID()
  const id = await gateway.connections.create({
    accountId,
    walletId: await walletIdOf(gateway, accountId),
    grantId,
    clientId: 'https://assistant.example/client.json',
    clientName: 'Assistant',
    redirectHost: 'assistant.example',
    limits: canSend ? limits : undefined,
  })
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
  const [wallet] = await database.read((connection) => walletsOf(connection, accountId))
  if (!wallet) throw new Error(`account ${accountId} has no wallet`)
  return wallet.id
}
