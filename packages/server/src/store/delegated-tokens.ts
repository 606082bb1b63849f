import { eq } from 'drizzle-orm'
import type { EpochMs } from '../domain/ids.ts'
import type { AccountRow } from './accounts.ts'
import type { Connection } from './database.ts'
import type { Tables } from './schema.ts'
import { deleteSlice } from './slices.ts'

export type DelegatedTokenRow = Tables['delegatedTokens']['$inferSelect']

export async function insertDelegatedToken({ db, t }: Connection, row: DelegatedTokenRow): Promise<void> {
  await db.insert(t.delegatedTokens).values(row)
}

/** Whoever shows a delegated token: the token itself, its connection, and what that is bound to. */
export interface Bearer {
  expiresAt: number
  tokenCanSend: 0 | 1
  connectionId: string
  connectionCanSend: 0 | 1
  endedAt: number
  lastUsedAt: number
  accountId: string
  accountStatus: AccountRow['status']
  walletId: string
  currency: string
}

export async function findBearer({ run }: Connection, tokenHash: string): Promise<Bearer | undefined> {
  const [row] = await run<Bearer>(
    `SELECT d.expires_at AS "expiresAt", d.can_send AS "tokenCanSend", c.id AS "connectionId",
       c.can_send AS "connectionCanSend", c.ended_at AS "endedAt", c.last_used_at AS "lastUsedAt",
       a.id AS "accountId", a.status AS "accountStatus", w.id AS "walletId", w.currency
     FROM delegated_tokens d JOIN connections c ON c.id = d.connection_id
       JOIN accounts a ON a.id = c.account_id JOIN wallets w ON w.id = c.wallet_id
     WHERE d.token_hash = $1`,
    [tokenHash],
  )
  return row
}

export async function removeTokensOf({ db, t }: Connection, connectionId: string): Promise<void> {
  await db.delete(t.delegatedTokens).where(eq(t.delegatedTokens.connectionId, connectionId))
}

/** Forgets a slice of the tokens that have expired, and says whether there may be more. */
export function pruneDelegatedTokens(connection: Connection, now: EpochMs): Promise<boolean> {
  return deleteSlice(connection, {
    table: 'delegated_tokens',
    key: 'token_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
