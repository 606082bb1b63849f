import { type Micros, ZERO } from '@wigwag/contract'
import { and, desc, eq, gte, inArray, lt, notExists, or, type SQL } from 'drizzle-orm'
import { type DailyUse, dayOf } from '../domain/daily-use.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { inChunks, insertRows, placeholders } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import { SLICE } from '../platform/database/slices.ts'
import type { Allowance, SharedLimit } from '../sending/index.ts'

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
    .select({ connection: connections, accountStatus: accounts.status, role: memberships.role })
    .from(connections)
    .innerJoin(accounts, eq(accounts.id, connections.accountId))
    .innerJoin(memberships, giverOf(t))
    .where(and(eq(connections.grantId, grantId), eq(connections.endedAt, 0)))
  return row
}

/** Who made a connection, while they are in its account. */
function giverOf({ connections, memberships }: Tables): SQL | undefined {
  return and(
    eq(memberships.accountId, connections.accountId),
    eq(memberships.personId, connections.personId),
    eq(memberships.endedAt, 0),
  )
}

/** What an active connection's assistant does when its person can't be asked. */
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

type LimitColumns = Pick<ConnectionRow, 'dailySpend' | 'dailyMessages' | 'recipients' | 'unasked'>

/** Locks connections until the transaction ends, in the order of their ids. Returns what each may send. */
export async function lockAllowances(tx: Tx, ids: readonly string[], now: EpochMs): Promise<Allowance[]> {
  return allowancesOf(tx, ids, now, tx.locks.forUpdate)
}

type Row = Omit<Allowance, 'shared'> & { accountId: string; personId: string }

/** What each connection may send, as it is now. */
export async function allowancesOf(
  tx: Tx,
  ids: readonly string[],
  now: EpochMs,
  lock = '',
): Promise<Allowance[]> {
  const sorted = [...ids].sort()
  const shared = await sharedLimits(tx, sorted, now, lock)
  const found: Allowance[] = []
  await inChunks(sorted, async (chunk) => {
    const rows = await tx.run<Row>(
      `SELECT id, account_id AS "accountId", person_id AS "personId", can_send AS "canSend",
         daily_spend AS "dailySpend", daily_messages AS "dailyMessages", recipients, day, day_spend AS "daySpend",
         day_messages AS "dayMessages", ended_at AS "endedAt"
       FROM connections WHERE id IN ${placeholders(1, chunk.length)} ORDER BY id ${lock}`,
      chunk,
    )
    for (const { accountId, personId, ...row } of rows) {
      const mine = [accountId, `${accountId} ${personId}`]
      found.push({ ...row, shared: shared.filter(({ id }) => mine.includes(id)) })
    }
  })
  return found
}

/**
 * What all assistants of these connections' accounts, and of the people who made them, may do in a day, where somebody
 * set it. The rows that say so are locked before the connections are, so that what others use meanwhile is counted, by
 * any gateway.
 */
async function sharedLimits(
  tx: Tx,
  ids: readonly string[],
  now: EpochMs,
  lock: string,
): Promise<SharedLimit[]> {
  const limits: SharedLimit[] = []
  await inChunks([...ids], async (chunk) => {
    const rows = await tx.run<LimitRow>(
      `SELECT DISTINCT ${LIMITS}
         JOIN connections c ON c.account_id = m.account_id AND c.person_id = m.person_id
       WHERE c.id IN ${placeholders(1, chunk.length)} AND (a.assistants_spend IS NOT NULL
         OR a.assistants_messages IS NOT NULL OR m.assistants_spend IS NOT NULL
         OR m.assistants_messages IS NOT NULL)
       ORDER BY a.id, p.id`,
      chunk,
    )
    for (const row of rows) {
      const known = new Set(limits.map(({ id }) => id))
      limits.push(...(await limitsOf(tx, row, now, lock)).filter(({ id }) => !known.has(id)))
    }
  })
  return limits
}

/** What all assistants of a person and of their account may do in a day, where somebody set it. */
export async function sharedWith(
  tx: Tx,
  { accountId, personId }: { accountId: string; personId: string },
  now: EpochMs,
): Promise<SharedLimit[]> {
  const [row] = await tx.run<LimitRow>(`SELECT ${LIMITS} WHERE m.account_id = $1 AND m.person_id = $2`, [
    accountId,
    personId,
  ])
  return row ? limitsOf(tx, row, now, '') : []
}

/** What is set for people and their accounts. */
const LIMITS = `a.id AS "accountId", p.id AS "personId", p.email, a.assistants_spend AS "accountSpend",
    a.assistants_messages AS "accountMessages", m.assistants_spend AS "personSpend",
    m.assistants_messages AS "personMessages"
  FROM memberships m JOIN accounts a ON a.id = m.account_id JOIN people p ON p.id = m.person_id`

interface LimitRow {
  accountId: string
  personId: string
  email: string
  accountSpend: Micros | null
  accountMessages: number | null
  personSpend: Micros | null
  personMessages: number | null
}

async function limitsOf(tx: Tx, row: LimitRow, now: EpochMs, lock: string): Promise<SharedLimit[]> {
  const { accountId, personId, email } = row
  // One row of the account orders all who share a limit in it.
  if (lock !== '') await tx.run(`SELECT id FROM accounts WHERE id = $1 ${lock}`, [accountId])
  const limits: SharedLimit[] = []
  if (row.accountSpend !== null || row.accountMessages !== null) {
    const used = await usedBy(tx, { accountId }, now)
    const whose = 'This account, with all its assistants,'
    limits.push({ id: accountId, whose, ...bounds(row.accountSpend, row.accountMessages), used })
  }
  if (row.personSpend !== null || row.personMessages !== null) {
    const used = await usedBy(tx, { accountId, personId }, now)
    const [id, whose] = [`${accountId} ${personId}`, `${email}, with all their assistants,`]
    limits.push({ id, whose, ...bounds(row.personSpend, row.personMessages), used })
  }
  return limits
}

function bounds(spend: Micros | null, messages: number | null) {
  return { dailySpend: spend ?? undefined, dailyMessages: messages ?? undefined }
}

/** What the assistants of an account, or of one of its people, have used today. Those that ended count. */
async function usedBy(
  { run }: Tx,
  { accountId, personId }: { accountId: string; personId?: string },
  now: EpochMs,
): Promise<DailyUse> {
  const day = dayOf(now)
  const [sum] = await run<{ spent: Micros; messages: number }>(
    `SELECT CAST(coalesce(sum(day_spend), 0) AS BIGINT) AS spent,
       CAST(coalesce(sum(day_messages), 0) AS BIGINT) AS messages
     FROM connections WHERE account_id = $1 AND day = $2 ${personId === undefined ? '' : 'AND person_id = $3'}`,
    [accountId, day, ...(personId === undefined ? [] : [personId])],
  )
  return { day, spent: sum?.spent ?? ZERO, messages: sum?.messages ?? 0 }
}

/** Stores what a locked connection has used of its daily limits. */
export async function setDay({ run }: Tx, id: string, { day, spent, messages }: DailyUse): Promise<void> {
  await run('UPDATE connections SET day = $1, day_spend = $2, day_messages = $3 WHERE id = $4', [
    day,
    spent,
    messages,
    id,
  ])
}
