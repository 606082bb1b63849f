import { ZERO } from '@wigwag/contract'
import { and, desc, eq, gte, inArray, lt, notExists, or, type SQL } from 'drizzle-orm'
import { roleOf } from '../accounts/people/index.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
import { SLICE } from '../store/slices.ts'

export type ConnectionRow = Tables['connections']['$inferSelect']

const TOKENS = ['AuthorizationCode', 'AccessToken', 'RefreshToken']

export type NewConnectionRow = Omit<
  ConnectionRow,
  'day' | 'daySpend' | 'dayMessages' | 'lastUsedAt' | 'endedAt'
>

export async function insertConnection(tx: Tx, row: NewConnectionRow): Promise<void> {
  const unused = { day: 0, daySpend: ZERO, dayMessages: 0, lastUsedAt: 0, endedAt: 0 }
  await insertRows(tx, tx.t.connections, [{ ...row, ...unused }])
}

/** An account's connections that are active or ended since a time, with who made them, newest first. */
export function connectionsOf({ db, t }: Tx, accountId: string, endedSince: number) {
  return db
    .select({ connection: t.connections, currency: t.wallets.currency, email: t.people.email })
    .from(t.connections)
    .innerJoin(t.wallets, eq(t.wallets.id, t.connections.walletId))
    .leftJoin(t.people, eq(t.people.id, t.connections.personId))
    .where(
      and(
        eq(t.connections.accountId, accountId),
        or(eq(t.connections.endedAt, 0), gte(t.connections.endedAt, endedSince)),
      ),
    )
    .orderBy(desc(t.connections.createdAt), desc(t.connections.id))
}

/**
 * Finds an active connection by the id of its grant in the authorization server, with the role that its maker has now.
 */
export async function findByGrantId({ db, t }: Tx, grantId: string) {
  const { connections, accounts, memberships } = t
  const [row] = await db
    .select({ connection: connections, accountStatus: accounts.status, giver: memberships })
    .from(connections)
    .innerJoin(accounts, eq(accounts.id, connections.accountId))
    .innerJoin(memberships, giverOf(t))
    .where(and(eq(connections.grantId, grantId), eq(connections.endedAt, 0)))
  if (!row) return undefined
  const { giver, ...found } = row
  return { ...found, role: roleOf(giver) }
}

/** Who made a connection, while they are in its account. */
function giverOf({ connections, memberships }: Tables): SQL | undefined {
  return and(
    eq(memberships.accountId, connections.accountId),
    eq(memberships.personId, connections.personId),
    eq(memberships.endedAt, 0),
  )
}

/** Whether an active connection's assistant may send when its person can't be asked. */
export async function unaskedOf({ db, t }: Tx, id: string): Promise<ConnectionRow['unasked'] | undefined> {
  const { connections } = t
  const [row] = await db
    .select({ unasked: connections.unasked })
    .from(connections)
    .where(and(eq(connections.id, id), eq(connections.endedAt, 0)))
  return row?.unasked
}

/** One connection of an account; with a person, only if they made it. */
export interface Which {
  accountId: string
  id: string
  personId?: string | undefined
}

function living({ connections }: Tables, { accountId, id, personId }: Which): SQL | undefined {
  return and(
    eq(connections.id, id),
    eq(connections.accountId, accountId),
    eq(connections.endedAt, 0),
    personId === undefined ? undefined : eq(connections.personId, personId),
  )
}

/** Sets a connection's limits, if it is active and may send. Returns whether it did. */
export async function setLimits({ db, t }: Tx, which: Which, limits: LimitColumns): Promise<boolean> {
  const { connections } = t
  const rows = await db
    .update(connections)
    .set(limits)
    .where(and(living(t, which), eq(connections.canSend, 1)))
    .returning({ id: connections.id })
  return rows.length > 0
}

type LimitColumns = Pick<ConnectionRow, 'dailySpend' | 'dailyMessages' | 'recipients' | 'unasked'>

/** Ends an account's connection, unless it has ended. Waits for a send that has the connection locked. */
export async function endConnection(
  { db, t }: Tx,
  which: Which,
  now: EpochMs,
): Promise<ConnectionRow | undefined> {
  const [row] = await db.update(t.connections).set({ endedAt: now }).where(living(t, which)).returning()
  return row
}

/** The ids of the active connections of an account, oldest first. */
export async function activeIds({ db, t }: Tx, accountId: string): Promise<string[]> {
  const { connections } = t
  const rows = await db
    .select({ id: connections.id })
    .from(connections)
    .where(and(eq(connections.accountId, accountId), eq(connections.endedAt, 0)))
    .orderBy(connections.id)
  return rows.map(({ id }) => id)
}

/** The active connections that a person made, in one account or in all, oldest first. */
export function activeOfPerson(
  { db, t }: Tx,
  { accountId, personId }: { accountId?: string; personId: string },
): Promise<Pick<ConnectionRow, 'id' | 'accountId'>[]> {
  const { connections } = t
  const ofAccount = accountId === undefined ? undefined : eq(connections.accountId, accountId)
  return db
    .select({ id: connections.id, accountId: connections.accountId })
    .from(connections)
    .where(and(eq(connections.personId, personId), eq(connections.endedAt, 0), ofAccount))
    .orderBy(connections.id)
}

/** The ids of the next slice of connections. */
export function connectionIds({ run }: Tx, after: string): Promise<{ id: string }[]> {
  return run(`SELECT id FROM connections WHERE id > $1 ORDER BY id LIMIT ${SLICE}`, [after])
}

/** The active ones of these connections that are older than a time and have no token or authorization code left. */
export async function unreachable(
  { db, t }: Tx,
  ids: readonly string[],
  before: EpochMs,
): Promise<ConnectionRow[]> {
  const { connections, oauthRecords } = t
  const tokens = db
    .select({ id: oauthRecords.id })
    .from(oauthRecords)
    .where(and(eq(oauthRecords.grantId, connections.grantId), inArray(oauthRecords.model, TOKENS)))
  const living = and(inArray(connections.id, [...ids]), eq(connections.endedAt, 0))
  return db
    .select()
    .from(connections)
    .where(and(living, lt(connections.createdAt, before), notExists(tokens)))
}

/** Deletes the authorization server's record of a grant and all records that depend on it. */
export async function removeGrant({ db, t }: Tx, grantId: string): Promise<void> {
  const { oauthRecords } = t
  const itself = and(eq(oauthRecords.model, 'Grant'), eq(oauthRecords.id, grantId))
  await db.delete(oauthRecords).where(or(eq(oauthRecords.grantId, grantId), itself))
}

/** Stores that a connection was used. Exactly one of concurrent calls writes. */
export async function touchConnection({ run }: Tx, id: string, now: EpochMs, before: number): Promise<void> {
  await run('UPDATE connections SET last_used_at = $1 WHERE id = $2 AND last_used_at <= $3', [
    now,
    id,
    before,
  ])
}
