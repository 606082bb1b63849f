import { eq } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { HOUR_MS, MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows, placeholders } from '../../store/rows.ts'
import type { OperatorRole } from '../../store/schema/schema.ts'
import { digestOf, newSessionToken, type SessionToken, tokensFound } from '../../store/secrets/tokens.ts'
import { deleteSlice } from '../../store/slices.ts'

const SESSION_MS = 8 * HOUR_MS
const UNUSED_MS = 30 * MINUTE_MS

/** The operator of a session. */
export interface OperatorSession {
  id: string
  name: string
  role: OperatorRole
  usedAt: EpochMs
  provenAt: EpochMs
}

const KIND = 'wo'

export async function insertSession(tx: Tx, operatorId: string, now: EpochMs): Promise<SessionToken> {
  const [token, expiresAt] = [newSessionToken(KIND), epochMs(now + SESSION_MS)]
  const times = { createdAt: now, usedAt: now, provenAt: now, expiresAt }
  await insertRows(tx, tx.t.operatorSessions, [{ tokenHash: digestOf(token), operatorId, ...times }])
  return { token, expiresAt }
}

/** The operator of a session that is neither over nor unused for too long. */
export async function findSession(
  { run }: Tx,
  tokenHash: string,
  now: EpochMs,
): Promise<OperatorSession | undefined> {
  const [found] = await run<OperatorSession>(
    `SELECT o.id, o.name, o.role, s.used_at AS "usedAt", s.proven_at AS "provenAt"
     FROM operator_sessions s JOIN operators o ON o.id = s.operator_id
     WHERE s.token_hash = $1 AND s.expires_at > $2 AND s.used_at > $3 AND o.ended_at = 0`,
    [tokenHash, now, now - UNUSED_MS],
  )
  return found
}

/** Which of these tokens let an operator in now. */
export function activeSessions(
  { run }: Tx,
  tokens: readonly string[],
  now: EpochMs,
): Promise<ReadonlySet<string>> {
  return tokensFound(tokens, (digests) =>
    run(
      `SELECT s.token_hash AS "tokenHash"
       FROM operator_sessions s JOIN operators o ON o.id = s.operator_id AND o.ended_at = 0
       WHERE s.token_hash IN ${placeholders(1, digests.length)} AND s.expires_at > $${digests.length + 1}
         AND s.used_at > $${digests.length + 2}`,
      [...digests, now, now - UNUSED_MS],
    ),
  )
}

export async function markSessionUsed({ db, t }: Tx, tokenHash: string, usedAt: EpochMs): Promise<void> {
  await db.update(t.operatorSessions).set({ usedAt }).where(eq(t.operatorSessions.tokenHash, tokenHash))
}

/**
 * Gives a session a new token when its operator showed who they are: a copy of the old one, wherever it is, opens nothing
 * from then on. Undefined when the session is over.
 */
export async function renewSession(
  { db, t }: Tx,
  token: string,
  provenAt: EpochMs,
): Promise<SessionToken | undefined> {
  const { operatorSessions } = t
  const next = newSessionToken(KIND)
  const [row] = await db
    .update(operatorSessions)
    .set({ provenAt, tokenHash: digestOf(next) })
    .where(eq(operatorSessions.tokenHash, digestOf(token)))
    .returning({ expiresAt: operatorSessions.expiresAt })
  return row && { token: next, expiresAt: epochMs(row.expiresAt) }
}

/** Ends a session. Returns the name of its operator; undefined when there was none. */
export async function deleteSession({ run }: Tx, tokenHash: string): Promise<string | undefined> {
  const [gone] = await run<{ name: string }>(
    `DELETE FROM operator_sessions WHERE token_hash = $1
     RETURNING (SELECT o.name FROM operators o WHERE o.id = operator_id) AS name`,
    [tokenHash],
  )
  return gone?.name
}

export async function endSessions({ db, t }: Tx, operatorId: string): Promise<void> {
  await db.delete(t.operatorSessions).where(eq(t.operatorSessions.operatorId, operatorId))
}

/** Deletes a slice of the sessions that are over. Returns whether there may be more. */
export function pruneOperatorSessions(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'operator_sessions',
    key: 'token_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
