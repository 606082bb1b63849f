import { randomBytes } from 'node:crypto'
import { and, asc, eq, gt } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import type { Role, Tables } from '../../store/schema/schema.ts'
import { digestOf } from '../../store/secrets/tokens.ts'
import { deleteSlice } from '../../store/slices.ts'
import { roleIn, roleOf, stored } from './roles.ts'

export interface InvitationRow extends Omit<Tables['invitations']['$inferSelect'], 'role' | 'sees'> {
  role: Role
}

const VALID_MS = 3 * DAY_MS

export type NewInvitation = Pick<InvitationRow, 'accountId' | 'email' | 'role' | 'createdBy'>

/** A link's secret, in place of one before it for the same address. It is good once, and for three days. */
export async function makeInvitation(
  { run }: Tx,
  { accountId, email, role, createdBy }: NewInvitation,
  now: EpochMs,
): Promise<string> {
  const { role: kept, sees } = stored(role)
  const secret = `wi_${randomBytes(32).toString('base64url')}`
  await run(
    `INSERT INTO invitations (secret_hash, account_id, email, role, created_at, created_by, expires_at, sees)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (account_id, email) DO UPDATE SET secret_hash = excluded.secret_hash, role = excluded.role,
       sees = excluded.sees,
       created_at = excluded.created_at, created_by = excluded.created_by, expires_at = excluded.expires_at`,
    [digestOf(secret), accountId, email, kept, now, createdBy, epochMs(now + VALID_MS), sees],
  )
  return secret
}

/** An invitation that is good, with the name of its account. */
export interface Invitation {
  accountId: string
  name: string
  email: string
  role: Role
  createdBy: string
}

export async function invitationOf(
  { run }: Tx,
  secret: string,
  now: EpochMs,
): Promise<Invitation | undefined> {
  const [found] = await run<Invitation>(
    `SELECT i.account_id AS "accountId", a.name, i.email, ${roleIn('i')} AS role, i.created_by AS "createdBy"
     FROM invitations i JOIN accounts a ON a.id = i.account_id WHERE i.secret_hash = $1 AND i.expires_at > $2`,
    [digestOf(secret), now],
  )
  return found
}

/** Uses an invitation up. True for exactly one of several concurrent callers. */
export async function takeInvitation({ db, t }: Tx, secret: string, now: EpochMs): Promise<boolean> {
  const { invitations } = t
  const taken = await db
    .delete(invitations)
    .where(and(eq(invitations.secretHash, digestOf(secret)), gt(invitations.expiresAt, now)))
    .returning({ email: invitations.email })
  return taken.length > 0
}

/** An account's open invitations, the oldest first. */
export async function invitationsOf(
  { db, t }: Tx,
  accountId: string,
  now: EpochMs,
): Promise<InvitationRow[]> {
  const { invitations } = t
  const rows = await db
    .select()
    .from(invitations)
    .where(and(eq(invitations.accountId, accountId), gt(invitations.expiresAt, now)))
    .orderBy(asc(invitations.createdAt), asc(invitations.email))
  return rows.map(({ sees, ...row }) => ({ ...row, role: roleOf({ ...row, sees }) }))
}

/** Takes an invitation back. True if there was one. */
export async function withdrawInvitation({ db, t }: Tx, accountId: string, email: string): Promise<boolean> {
  const { invitations } = t
  const gone = await db
    .delete(invitations)
    .where(and(eq(invitations.accountId, accountId), eq(invitations.email, email)))
    .returning({ email: invitations.email })
  return gone.length > 0
}

/** Takes back the invitations that somebody made: of one account, or of all. Returns them. */
export function withdrawInvitationsBy(
  { db, t }: Tx,
  createdBy: string,
  accountId?: string,
): Promise<Pick<InvitationRow, 'accountId' | 'email'>[]> {
  const { invitations } = t
  const ofAccount = accountId === undefined ? undefined : eq(invitations.accountId, accountId)
  return db
    .delete(invitations)
    .where(and(eq(invitations.createdBy, createdBy), ofAccount))
    .returning({ accountId: invitations.accountId, email: invitations.email })
}

/** Deletes a slice of those that are over. Returns whether there may be more. */
export function pruneInvitations(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'invitations',
    key: 'secret_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
