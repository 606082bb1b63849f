import { ZERO } from '@wigwag/contract'
import { and, desc, eq, gte, inArray, lt, notExists, or, type SQL } from 'drizzle-orm'
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

/** An account's grants that are active or ended since a time, with who gave them, newest first. */
export function grantsOf({ db, t }: Tx, accountId: string, endedSince: number) {
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

/** Finds an active grant by its id in the authorization server, with the role that who gave it has now. */
export async function findByGrantId({ db, t }: Tx, grantId: string) {
  const { connections, accounts, memberships } = t
  const [row] = await db
    .select({ connection: connections, accountStatus: accounts.status, role: memberships.role })
    .from(connections)
    .innerJoin(accounts, eq(accounts.id, connections.accountId))
    .innerJoin(memberships, giverOf(t))
    .where(and(eq(connections.grantId, grantId), eq(connections.endedAt, 0)))
  return row
}

/** Who gave a grant, while they are in its account. */
function giverOf({ connections, memberships }: Tables): SQL | undefined {
  return and(
    eq(memberships.accountId, connections.accountId),
    eq(memberships.personId, connections.personId),
    eq(memberships.endedAt, 0),
  )
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

/** One grant of an account; with a person, only if they gave it. */
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

/** Sets a grant's limits, if it is active and may send. Returns whether it did. */
export async function setLimits({ db, t }: Tx, which: Which, limits: LimitColumns): Promise<boolean> {
  const { connections } = t
  const rows = await db
    .update(connections)
    .set(limits)
    .where(and(living(t, which), eq(connections.canSend, 1)))
    .returning({ id: connections.id })
  return rows.length > 0
}

/** Ends an account's grant, unless it has ended. Waits for a send that has the grant locked. */
export async function endGrant({ db, t }: Tx, which: Which, now: EpochMs): Promise<GrantRow | undefined> {
  const [row] = await db.update(t.connections).set({ endedAt: now }).where(living(t, which)).returning()
  return row
}

/** The ids of the active grants of an account, or of those that one person gave, oldest first. */
export async function activeIds({ db, t }: Tx, accountId: string, personId?: string): Promise<string[]> {
  const { connections } = t
  const rows = await db
    .select({ id: connections.id })
    .from(connections)
    .where(
      and(
        eq(connections.accountId, accountId),
        eq(connections.endedAt, 0),
        personId === undefined ? undefined : eq(connections.personId, personId),
      ),
    )
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
