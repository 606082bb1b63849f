import { and, eq, ne } from 'drizzle-orm'
import { type AccountRow, digestOf } from '../../accounts/index.ts'
import { roleIn } from '../../accounts/people/index.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { HOUR_MS, MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows, placeholders } from '../../store/rows.ts'
import type { Role, SessionProof, SessionState, Tables } from '../../store/schema/schema.ts'
import { newSessionToken, type SessionToken, tokensFound } from '../../store/secrets/tokens.ts'
import { deleteSlice } from '../../store/slices.ts'

export type SessionRow = Tables['portalSessions']['$inferSelect']

export const SESSION_MS = 12 * HOUR_MS
/** How long a session lasts while its person still has to show or add a factor. */
export const HALF_IN_MS = 10 * MINUTE_MS

/** A session, its person, and the account that is open in it. */
export interface SignedIn {
  /** Only `in` lets the person use the account. */
  state: SessionState
  proof: SessionProof
  personId: string
  email: string
  accountId: string
  /** The account's name. */
  name: string
  status: AccountRow['status']
  /** The account's, of numbers without a country code; empty for none. */
  country: string
  role: Role
  walletId: string
  currency: string
  usedAt: EpochMs
  provenAt: EpochMs
}

/** Where somebody signs in from. */
export interface From {
  address: string
  /** The user agent. */
  browser?: string | undefined
}

export type NewSession = Pick<SessionRow, 'personId' | 'accountId' | 'state' | 'proof'> & From

const LONGEST_BROWSER = 200

/** The beginning of a session's token. */
const KIND = 'wp'

export async function insertSession(
  tx: Tx,
  { browser = '', ...session }: NewSession,
  now: EpochMs,
): Promise<SessionToken> {
  const token = newSessionToken(KIND)
  const expiresAt = epochMs(now + (session.state === 'in' ? SESSION_MS : HALF_IN_MS))
  const times = { createdAt: now, usedAt: now, provenAt: now, expiresAt }
  const tokenHash = digestOf(token)
  const row = {
    ...session,
    tokenHash,
    browser: browser.replaceAll('\0', '').slice(0, LONGEST_BROWSER),
    ...times,
  }
  await insertRows(tx, tx.t.portalSessions, [row])
  return { token, expiresAt }
}

/** Finds a session that has not expired and whose person is still in its account. The account may be suspended. */
export async function findSession(
  { run }: Tx,
  tokenHash: string,
  now: EpochMs,
): Promise<SignedIn | undefined> {
  const [row] = await run<SignedIn>(
    `SELECT s.state, s.proof, p.id AS "personId", p.email, a.id AS "accountId", a.name, a.status, a.country, ${roleIn('m')} AS role,
       w.id AS "walletId", w.currency, s.used_at AS "usedAt", s.proven_at AS "provenAt"
     FROM portal_sessions s JOIN people p ON p.id = s.person_id JOIN accounts a ON a.id = s.account_id
       JOIN memberships m ON m.account_id = a.id AND m.person_id = p.id AND m.ended_at = 0
       JOIN wallets w ON w.account_id = a.id
     WHERE s.token_hash = $1 AND s.expires_at > $2
     ORDER BY w.created_at, w.id LIMIT 1`,
    [tokenHash, now],
  )
  return row
}

/** Finds which of these tokens give access now. */
export function activeSessions(
  { run }: Tx,
  tokens: readonly string[],
  now: EpochMs,
): Promise<ReadonlySet<string>> {
  return tokensFound(tokens, (digests) =>
    run(
      `SELECT s.token_hash AS "tokenHash"
       FROM portal_sessions s JOIN accounts a ON a.id = s.account_id AND a.status = 'active'
         JOIN memberships m ON m.account_id = s.account_id AND m.person_id = s.person_id AND m.ended_at = 0
       WHERE s.token_hash IN ${placeholders(1, digests.length)} AND s.expires_at > $${digests.length + 1}
         AND s.state = 'in'`,
      [...digests, now],
    ),
  )
}

/** Changes a session. Does nothing if there is none. */
export async function changeSession(
  { db, t }: Tx,
  tokenHash: string,
  change: Partial<Omit<SessionRow, 'tokenHash' | 'personId'>>,
): Promise<void> {
  await db.update(t.portalSessions).set(change).where(eq(t.portalSessions.tokenHash, tokenHash))
}

/**
 * Gives a session a new token once its person has proved who they are, so that no copy of the old one works any more.
 * Undefined when there is no such session; does not check whether it has expired.
 */
export async function renewSession(
  { db, t }: Tx,
  token: string,
  change: Partial<Omit<SessionRow, 'tokenHash' | 'personId'>>,
): Promise<SessionToken | undefined> {
  const { portalSessions } = t
  const next = newSessionToken(KIND)
  const [row] = await db
    .update(portalSessions)
    .set({ ...change, tokenHash: digestOf(next) })
    .where(eq(portalSessions.tokenHash, digestOf(token)))
    .returning({ expiresAt: portalSessions.expiresAt })
  return row && { token: next, expiresAt: epochMs(row.expiresAt) }
}

/** Ends a session. Returns its person and account; undefined when there was none. */
export async function deleteSession(
  { db, t }: Tx,
  tokenHash: string,
): Promise<Pick<SessionRow, 'personId' | 'accountId'> | undefined> {
  const { portalSessions } = t
  const [row] = await db
    .delete(portalSessions)
    .where(eq(portalSessions.tokenHash, tokenHash))
    .returning({ personId: portalSessions.personId, accountId: portalSessions.accountId })
  return row
}

/** Ends the sessions in which an account is open. */
export async function endSessionsOfAccount({ db, t }: Tx, accountId: string): Promise<void> {
  await db.delete(t.portalSessions).where(eq(t.portalSessions.accountId, accountId))
}

/** Ends a person's sessions, except the one with the token hash `except`. */
export async function endSessionsOfPerson({ db, t }: Tx, personId: string, except = ''): Promise<void> {
  const { portalSessions } = t
  await db
    .delete(portalSessions)
    .where(and(eq(portalSessions.personId, personId), ne(portalSessions.tokenHash, except)))
}

/** Ends the sessions of a person in which an account is open. */
export async function endSessionsIn(
  { db, t }: Tx,
  { personId, accountId }: Pick<SessionRow, 'personId' | 'accountId'>,
): Promise<void> {
  const { portalSessions } = t
  await db
    .delete(portalSessions)
    .where(and(eq(portalSessions.personId, personId), eq(portalSessions.accountId, accountId)))
}

/** Ends an account's or a person's sessions that a password alone opened, except the one with the token hash `except`. */
export async function endSessionsByPassword(
  { db, t }: Tx,
  of: { accountId: string } | { personId: string },
  except = '',
): Promise<void> {
  const { portalSessions } = t
  const whose =
    'accountId' in of ? eq(portalSessions.accountId, of.accountId) : eq(portalSessions.personId, of.personId)
  await db
    .delete(portalSessions)
    .where(and(whose, eq(portalSessions.proof, 'password'), ne(portalSessions.tokenHash, except)))
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
