import { eq } from 'drizzle-orm'
import type { EpochMs } from '../domain/ids.ts'
import type { AccountRow } from './accounts.ts'
import type { Connection } from './database.ts'
import type { Tables } from './schema.ts'
import { deleteSlice } from './slices.ts'

export type SessionRow = Tables['portalSessions']['$inferSelect']

/** Somebody who is signed in, and the wallet that is theirs. */
export interface SignedIn {
  accountId: string
  email: string
  name: string
  walletId: string
  currency: string
  /** When the session began. */
  since: EpochMs
}

/**
 * An account as it stands while its row is locked: whoever changes its password at the same time comes before, and
 * is seen, or after, and ends the session that is made now.
 */
export async function lockAccount(
  { run, locks }: Connection,
  accountId: string,
): Promise<Pick<AccountRow, 'passwordHash' | 'status'> | undefined> {
  const [row] = await run<Pick<AccountRow, 'passwordHash' | 'status'>>(
    `SELECT password_hash AS "passwordHash", status FROM accounts WHERE id = $1 ${locks.forUpdate}`,
    [accountId],
  )
  return row
}

export async function insertSession({ db, t }: Connection, session: SessionRow): Promise<void> {
  await db.insert(t.portalSessions).values(session)
}

/** Whose session it is, unless it has run out or the account is suspended. */
export async function findSession(
  { run }: Connection,
  tokenHash: string,
  now: EpochMs,
): Promise<SignedIn | undefined> {
  const [row] = await run<SignedIn>(
    `SELECT a.id AS "accountId", a.email, a.name, w.id AS "walletId", w.currency,
       s.created_at AS since
     FROM portal_sessions s JOIN accounts a ON a.id = s.account_id JOIN wallets w ON w.account_id = a.id
     WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.status = 'active'
     ORDER BY w.created_at, w.id LIMIT 1`,
    [tokenHash, now],
  )
  return row
}

/** Ends a session and says whose it was; undefined when there was none. */
export async function deleteSession({ db, t }: Connection, tokenHash: string): Promise<string | undefined> {
  const [row] = await db
    .delete(t.portalSessions)
    .where(eq(t.portalSessions.tokenHash, tokenHash))
    .returning({ accountId: t.portalSessions.accountId })
  return row?.accountId
}

export async function endSessions({ db, t }: Connection, accountId: string): Promise<void> {
  await db.delete(t.portalSessions).where(eq(t.portalSessions.accountId, accountId))
}

/** Forgets a slice of the sessions that have expired, and says whether there may be more. */
export function pruneSessions(connection: Connection, now: EpochMs): Promise<boolean> {
  return deleteSlice(connection, {
    table: 'portal_sessions',
    key: 'token_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
