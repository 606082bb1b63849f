import { ZERO } from '@wigwag/contract'
import { and, desc, eq, gte, inArray, lt, notExists, or } from 'drizzle-orm'
import type { DailyUse } from '../domain/daily-use.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { inChunks, insertRows, placeholders } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import { SLICE } from '../platform/database/slices.ts'
import type { Allowance } from '../sending/index.ts'

export type GrantRow = Tables['connections']['$inferSelect']

const TOKENS = ['AuthorizationCode', 'AccessToken', 'RefreshToken']

export type NewGrantRow = Omit<GrantRow, 'day' | 'daySpend' | 'dayMessages' | 'lastUsedAt' | 'endedAt'>

export async function insertGrant(tx: Tx, row: NewGrantRow): Promise<void> {
  const unused = { day: 0, daySpend: ZERO, dayMessages: 0, lastUsedAt: 0, endedAt: 0 }
  await insertRows(tx, tx.t.connections, [{ ...row, ...unused }])
}

/** An account's grants that are active or ended since a time, newest first. */
export function grantsOf({ db, t }: Tx, accountId: string, endedSince: number) {
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

/** Finds an active grant by its id in the authorization server. */
export async function findByGrantId({ db, t }: Tx, grantId: string) {
  const [row] = await db
    .select({ connection: t.connections, accountStatus: t.accounts.status })
    .from(t.connections)
    .innerJoin(t.accounts, eq(t.accounts.id, t.connections.accountId))
    .where(and(eq(t.connections.grantId, grantId), eq(t.connections.endedAt, 0)))
  return row
}

/** What an active grant's assistant does when its person can't be asked. */
export async function unaskedOf({ db, t }: Tx, id: string): Promise<GrantRow['unasked'] | undefined> {
  const { connections } = t
  const [row] = await db
    .select({ unasked: connections.unasked })
    .from(connections)
    .where(and(eq(connections.id, id), eq(connections.endedAt, 0)))
  return row?.unasked
}

/** Sets a grant's limits, if it is active and may send. Returns whether it did. */
export async function setLimits(
  { db, t }: Tx,
  { accountId, id, ...limits }: Pick<GrantRow, 'accountId' | 'id' | keyof LimitColumns>,
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

/** Ends an account's grant, unless it has ended. Waits for a send that has the grant locked. */
export async function endGrant(
  { db, t }: Tx,
  { accountId, id }: Pick<GrantRow, 'accountId' | 'id'>,
  now: EpochMs,
): Promise<GrantRow | undefined> {
  const { connections } = t
  const [row] = await db
    .update(connections)
    .set({ endedAt: now })
    .where(and(eq(connections.id, id), eq(connections.accountId, accountId), eq(connections.endedAt, 0)))
    .returning()
  return row
}

/** The ids of an account's active grants, oldest first. */
export async function activeIds({ db, t }: Tx, accountId: string): Promise<string[]> {
  const { connections } = t
  const rows = await db
    .select({ id: connections.id })
    .from(connections)
    .where(and(eq(connections.accountId, accountId), eq(connections.endedAt, 0)))
    .orderBy(connections.id)
  return rows.map(({ id }) => id)
}

/** The ids of the next slice of grants. */
export function grantIds({ run }: Tx, after: string): Promise<{ id: string }[]> {
  return run(`SELECT id FROM connections WHERE id > $1 ORDER BY id LIMIT ${SLICE}`, [after])
}

/** The active ones of these grants that are older than a time and have no token or authorization code left. */
export async function unreachable(
  { db, t }: Tx,
  ids: readonly string[],
  before: EpochMs,
): Promise<GrantRow[]> {
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

/** Stores that a grant was used. Exactly one of concurrent calls writes. */
export async function touchGrant({ run }: Tx, id: string, now: EpochMs, before: number): Promise<void> {
  await run('UPDATE connections SET last_used_at = $1 WHERE id = $2 AND last_used_at <= $3', [
    now,
    id,
    before,
  ])
}

type LimitColumns = Pick<GrantRow, 'dailySpend' | 'dailyMessages' | 'recipients' | 'unasked'>

/** Locks grants until the transaction ends, in the order of their ids. Returns what each may send. */
export function lockAllowances(tx: Tx, ids: readonly string[]): Promise<Allowance[]> {
  return allowancesOf(tx, ids, tx.locks.forUpdate)
}

/** What each grant may send, as it is now. */
export async function allowancesOf({ run }: Tx, ids: readonly string[], lock = ''): Promise<Allowance[]> {
  const found: Allowance[] = []
  await inChunks([...ids].sort(), async (chunk) => {
    const rows = await run<Allowance>(
      `SELECT id, can_send AS "canSend", daily_spend AS "dailySpend", daily_messages AS "dailyMessages", recipients,
         day, day_spend AS "daySpend", day_messages AS "dayMessages", ended_at AS "endedAt"
       FROM connections WHERE id IN ${placeholders(1, chunk.length)} ORDER BY id ${lock}`,
      chunk,
    )
    found.push(...rows)
  })
  return found
}

/** Stores what a locked grant has used of its daily limits. */
export async function setDay({ run }: Tx, id: string, { day, spent, messages }: DailyUse): Promise<void> {
  await run('UPDATE connections SET day = $1, day_spend = $2, day_messages = $3 WHERE id = $4', [
    day,
    spent,
    messages,
    id,
  ])
}
