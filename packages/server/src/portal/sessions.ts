import { eq } from 'drizzle-orm'
import type { AccountRow } from '../accounts/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import { deleteSlice } from '../platform/database/slices.ts'

export type SessionRow = Tables['portalSessions']['$inferSelect']

/** The person of a session and their wallet. */
export interface SignedIn {
  status: AccountRow['status']
  accountId: string
  email: string
  name: string
  walletId: string
  currency: string
  /** When the session began. */
  since: EpochMs
}

/**
 * Locks an account's row and reads it. A concurrent password change commits either before, and is seen here, or after,
 * and then ends the session that is being made.
 */
export async function lockAccount(
  { run, locks }: Tx,
  accountId: string,
): Promise<Pick<AccountRow, 'passwordHash' | 'status'> | undefined> {
  const [row] = await run<Pick<AccountRow, 'passwordHash' | 'status'>>(
    `SELECT password_hash AS "passwordHash", status FROM accounts WHERE id = $1 ${locks.forUpdate}`,
    [accountId],
  )
  return row
}

export function insertSession(tx: Tx, session: SessionRow): Promise<void> {
  return insertRows(tx, tx.t.portalSessions, [session])
}

/** The person of a session, unless it has expired. Their account may be suspended. */
export async function findSession(
  { run }: Tx,
  tokenHash: string,
  now: EpochMs,
): Promise<SignedIn | undefined> {
  const [row] = await run<SignedIn>(
    `SELECT a.id AS "accountId", a.status, a.email, a.name, w.id AS "walletId", w.currency,
       s.created_at AS since
     FROM portal_sessions s JOIN accounts a ON a.id = s.account_id JOIN wallets w ON w.account_id = a.id
     WHERE s.token_hash = $1 AND s.expires_at > $2
     ORDER BY w.created_at, w.id LIMIT 1`,
    [tokenHash, now],
  )
  return row
}

/** Ends a session. Returns the id of its account; undefined when there was none. */
export async function deleteSession({ db, t }: Tx, tokenHash: string): Promise<string | undefined> {
  const [row] = await db
    .delete(t.portalSessions)
    .where(eq(t.portalSessions.tokenHash, tokenHash))
    .returning({ accountId: t.portalSessions.accountId })
  return row?.accountId
}

export async function endSessions({ db, t }: Tx, accountId: string): Promise<void> {
  await db.delete(t.portalSessions).where(eq(t.portalSessions.accountId, accountId))
}

/**
 * Lets the sessions that have not expired last longer, by as much as a sandbox's clock is about to be moved forward: the
 * people in front of their browsers have not aged by it.
 */
export async function extendSessions({ run }: Tx, now: EpochMs, ms: number): Promise<void> {
  await run('UPDATE portal_sessions SET expires_at = expires_at + $1 WHERE expires_at > $2', [ms, now])
}

/** Deletes a slice of the expired sessions. Returns whether there may be more. */
export function pruneSessions(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'portal_sessions',
    key: 'token_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
