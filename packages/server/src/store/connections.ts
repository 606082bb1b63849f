import { and, desc, eq, gte, inArray, lt, notExists, or } from 'drizzle-orm'
import type { DailyUse } from '../domain/daily-use.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'
import { inChunks, placeholders } from './rows.ts'
import type { Tables } from './schema.ts'
import { SLICE } from './slices.ts'

export type ConnectionRow = Tables['connections']['$inferSelect']

const TOKENS = ['AuthorizationCode', 'AccessToken', 'RefreshToken']

export type NewConnectionRow = Omit<
  ConnectionRow,
  'day' | 'daySpend' | 'dayMessages' | 'lastUsedAt' | 'endedAt'
>

export async function insertConnection({ db, t }: Connection, row: NewConnectionRow): Promise<void> {
  await db.insert(t.connections).values(row)
}

/** An account's connections that live, or that ended at some time or later; those made last come first. */
export function connectionsOf({ db, t }: Connection, accountId: string, endedSince: number) {
  return db
    .select({ connection: t.connections, currency: t.wallets.currency })
    .from(t.connections)
    .innerJoin(t.wallets, eq(t.wallets.id, t.connections.walletId))
    .where(
      and(
        eq(t.connections.accountId, accountId),
        or(eq(t.connections.endedAt, 0), gte(t.connections.endedAt, endedSince)),
      ),
    )
    .orderBy(desc(t.connections.createdAt), desc(t.connections.id))
}

/** The connection of a grant, unless it has ended. */
export async function findByGrant({ db, t }: Connection, grantId: string) {
  const [row] = await db
    .select({ connection: t.connections, accountStatus: t.accounts.status })
    .from(t.connections)
    .innerJoin(t.accounts, eq(t.accounts.id, t.connections.accountId))
    .where(and(eq(t.connections.grantId, grantId), eq(t.connections.endedAt, 0)))
  return row
}

/** Gives a connection other limits, if it lives and may send. */
export async function setLimits(
  { db, t }: Connection,
  { accountId, id, ...limits }: Pick<ConnectionRow, 'accountId' | 'id' | keyof LimitColumns>,
): Promise<boolean> {
  const { connections } = t
  const living = and(eq(connections.id, id), eq(connections.accountId, accountId), eq(connections.endedAt, 0))
  const rows = await db
    .update(connections)
    .set(limits)
    .where(and(living, eq(connections.canSend, 1)))
    .returning({ id: connections.id })
  return rows.length > 0
}

/** Ends a connection of an account, unless it has ended. Whoever sends with it at this moment is done before. */
export async function endConnection(
  { db, t }: Connection,
  { accountId, id }: Pick<ConnectionRow, 'accountId' | 'id'>,
  now: EpochMs,
): Promise<ConnectionRow | undefined> {
  const { connections } = t
  const [row] = await db
    .update(connections)
    .set({ endedAt: now })
    .where(and(eq(connections.id, id), eq(connections.accountId, accountId), eq(connections.endedAt, 0)))
    .returning()
  return row
}

/** The next connections in the order of their ids. */
export function connectionIds({ run }: Connection, after: string): Promise<{ id: string }[]> {
  return run(`SELECT id FROM connections WHERE id > $1 ORDER BY id LIMIT ${SLICE}`, [after])
}

/** Those that live, were made before a time, and whose assistant has nothing left to call or to refresh with. */
export async function unreachable(
  { db, t }: Connection,
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

/** Removes a grant and every record of the authorization server that stands on it. */
export async function removeGrant({ db, t }: Connection, grantId: string): Promise<void> {
  const { oauthRecords } = t
  const itself = and(eq(oauthRecords.model, 'Grant'), eq(oauthRecords.id, grantId))
  await db.delete(oauthRecords).where(or(eq(oauthRecords.grantId, grantId), itself))
}

/** Notes that a connection was used. Of calls that come at once, one does. */
export async function touchConnection(
  { run }: Connection,
  id: string,
  now: EpochMs,
  before: number,
): Promise<void> {
  await run('UPDATE connections SET last_used_at = $1 WHERE id = $2 AND last_used_at <= $3', [
    now,
    id,
    before,
  ])
}

type LimitColumns = Pick<ConnectionRow, 'dailySpend' | 'dailyMessages' | 'recipients'>

/** What a connection may send, and what it has sent on the last day that it did. */
export type Allowance = LimitColumns &
  Pick<ConnectionRow, 'id' | 'canSend' | 'day' | 'daySpend' | 'dayMessages' | 'endedAt'>

/** Locks connections until the transaction ends, in the order of their ids, and says what each may send. */
export async function lockAllowances(
  { run, locks }: Connection,
  ids: readonly string[],
): Promise<Allowance[]> {
  const found: Allowance[] = []
  await inChunks([...ids].sort(), async (chunk) => {
    const rows = await run<Allowance>(
      `SELECT id, can_send AS "canSend", daily_spend AS "dailySpend", daily_messages AS "dailyMessages", recipients,
         day, day_spend AS "daySpend", day_messages AS "dayMessages", ended_at AS "endedAt"
       FROM connections WHERE id IN ${placeholders(1, chunk.length)} ORDER BY id ${locks.forUpdate}`,
      chunk,
    )
    found.push(...rows)
  })
  return found
}

/** Stores what a locked connection has used of its day. */
export async function setDay(
  { run }: Connection,
  id: string,
  { day, spent, messages }: DailyUse,
): Promise<void> {
  await run('UPDATE connections SET day = $1, day_spend = $2, day_messages = $3 WHERE id = $4', [
    day,
    spent,
    messages,
    id,
  ])
}
