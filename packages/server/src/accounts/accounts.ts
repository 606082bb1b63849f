import { and, asc, desc, eq, getTableColumns, inArray, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { insertWallet } from '../money/index.ts'
import { canSignIn, join, lockPerson, personOf, setPasswordHash } from '../people/index.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows, placeholders } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'
import { insertKeys, type KeyRow } from './keys.ts'

export type AccountRow = Tables['accounts']['$inferSelect']
export type SenderRow = Tables['senderIds']['$inferSelect']

export interface NewAccount {
  account: Pick<AccountRow, 'id' | 'name' | 'email'>
  /** Its first owner, with the account's address. */
  owner: { id: string; passwordHash: string | undefined; by: string }
  client: { id: string }
  wallet: { id: string; currency: string }
  keys: readonly KeyRow[]
  senders: readonly string[]
}

/**
 * Creates an account with its owner, its API client, its empty wallet and its approved senders. A person who can sign in
 * already is not let in: no one has checked that the address is theirs, so they need a link as well. Returns whether the
 * owner is in.
 */
export async function insertAccount(tx: Tx, made: NewAccount, now: EpochMs): Promise<boolean> {
  const { t } = tx
  const accountId = made.account.id
  const account: AccountRow = {
    ...{ ...made.account, status: 'active', statusAt: now, createdAt: now, secondFactor: 'optional' },
    ...{ assistantsSpend: null, assistantsMessages: null },
  }
  await insertRows(tx, t.accounts, [account])
  const isIn = await insertOwner(tx, made, now)
  await insertRows(tx, t.clients, [{ ...made.client, accountId, createdAt: now, toolsUsedAt: 0 }])
  await insertWallet(tx, { ...made.wallet, accountId }, now)
  await insertKeys(tx, made.keys)
  const senders = made.senders.map((sender) => ({
    accountId,
    sender,
    status: 'approved' as const,
    reason: null,
    createdAt: now,
  }))
  await insertRows(tx, t.senderIds, senders)
  return isIn
}

async function insertOwner(tx: Tx, { account, owner }: NewAccount, now: EpochMs): Promise<boolean> {
  const { passwordHash, by } = owner
  const { id: personId } = await personOf(tx, account.email, { id: owner.id, now })
  await lockPerson(tx, personId)
  if (await canSignIn(tx, personId)) return false
  await join(tx, { accountId: account.id, personId, role: 'owner', by }, now)
  if (passwordHash !== undefined) await setPasswordHash(tx, personId, passwordHash)
  return true
}

/** An account by its id or its e-mail address. */
export async function findAccount({ db, t }: Tx, idOrEmail: string): Promise<AccountRow | undefined> {
  // PostgreSQL refuses a text with it.
  if (idOrEmail.includes('\0')) return undefined
  const [row] = await db
    .select()
    .from(t.accounts)
    .where(or(eq(t.accounts.id, idOrEmail), eq(t.accounts.email, idOrEmail.toLowerCase())))
  return row
}

/** All accounts that a search finds, oldest first. */
export function listAccounts({ db, t }: Tx, search = ''): Promise<AccountRow[]> {
  return db
    .select()
    .from(t.accounts)
    .where(found(t, search))
    .orderBy(asc(t.accounts.createdAt), asc(t.accounts.id))
}

/** Some accounts, by their ids. */
export async function accountsWith({ db, t }: Tx, ids: readonly string[]): Promise<Map<string, AccountRow>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .select()
    .from(t.accounts)
    .where(inArray(t.accounts.id, [...ids]))
  return new Map(rows.map((row) => [row.id, row]))
}

/** The newest accounts that a search finds, before one of them; of all, or of those with a wallet that is marked as low. */
export function newestAccounts(
  { db, t }: Tx,
  { search, before, low, limit }: { search: string; before: string | undefined; low: boolean; limit: number },
): Promise<AccountRow[]> {
  return db
    .select()
    .from(t.accounts)
    .where(
      and(
        found(t, search),
        before === undefined ? undefined : lt(t.accounts.id, before),
        low ? isLow(t) : undefined,
      ),
    )
    .orderBy(desc(t.accounts.id))
    .limit(limit)
}

function isLow({ accounts, wallets, walletWarnings }: Tables): SQL {
  return sql`EXISTS (SELECT 1 FROM ${wallets} JOIN ${walletWarnings} ON ${walletWarnings.walletId} = ${wallets.id}
    WHERE ${wallets.accountId} = ${accounts.id} AND ${walletWarnings.lowSince} > 0)`
}

/** By a part of the name or e-mail, the account ID, a client ID, or a sender ID. */
function found({ accounts, clients, senderIds }: Tables, search: string): SQL | undefined {
  // PostgreSQL rejects zero characters, and nothing here contains one.
  const text = search.replaceAll('\0', '').trim().toLowerCase()
  if (text === '') return undefined
  const part = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const isPart = (column: SQL) => sql`lower(${column}) LIKE ${part} ESCAPE '\\'`
  const ofAccount = (owner: SQL) => sql`${owner} = ${accounts.id}`
  return or(
    eq(accounts.id, text),
    isPart(sql`${accounts.name}`),
    isPart(sql`${accounts.email}`),
    sql`EXISTS (SELECT 1 FROM ${clients} WHERE ${ofAccount(sql`${clients.accountId}`)} AND lower(${clients.id}) = ${text})`,
    sql`EXISTS (SELECT 1 FROM ${senderIds} WHERE ${ofAccount(sql`${senderIds.accountId}`)} AND lower(${senderIds.sender}) = ${text})`,
  )
}

/** When the keys of each account's programs were last used: those of its clients and wallets. Of all accounts, or some. */
export async function lastUses({ run }: Tx, some?: readonly string[]): Promise<Map<string, EpochMs>> {
  if (some?.length === 0) return new Map()
  const given = (taken: number) => placeholders(1, some?.length ?? 0, undefined, taken)
  const rows = await run<{ accountId: string; usedAt: EpochMs }>(
    `SELECT account_id AS "accountId", max(used_at) AS "usedAt" FROM keys
     WHERE kind <> 'callback' AND used_at > 0 ${
       some
         ? `AND owner_id IN (SELECT id FROM clients WHERE account_id IN ${given(0)}
              UNION ALL SELECT id FROM wallets WHERE account_id IN ${given(some.length)})`
         : ''
     } GROUP BY account_id`,
    some ? [...some, ...some] : [],
  )
  return new Map(rows.map(({ accountId, usedAt }) => [accountId, usedAt]))
}

/** The account's programs that called the tools for assistants with its credentials, the latest first. */
export async function toolProgramsOf(tx: Tx, accountId: string): Promise<ToolProgram[]> {
  const clients = await clientsOf(tx, accountId)
  return clients
    .filter(({ toolsUsedAt }) => toolsUsedAt > 0)
    .map(({ id, toolsUsedAt }) => ({ clientId: id, lastUsedAt: epochMs(toolsUsedAt) }))
    .sort((a, b) => b.lastUsedAt - a.lastUsedAt)
}

/** A program that calls the tools with API credentials. It is no connection: nobody signed in for it. */
export interface ToolProgram {
  clientId: string
  lastUsedAt: EpochMs
}

export function clientsOf({ db, t }: Tx, accountId: string) {
  return db
    .select()
    .from(t.clients)
    .where(eq(t.clients.accountId, accountId))
    .orderBy(asc(t.clients.createdAt))
}

export function sendersOf({ db, t }: Tx, accountId: string): Promise<SenderRow[]> {
  return db
    .select()
    .from(t.senderIds)
    .where(eq(t.senderIds.accountId, accountId))
    .orderBy(asc(t.senderIds.sender))
}

/** A sender ID with the account that has it. */
export interface OwnedSender extends SenderRow {
  email: string
}

/** The sender IDs of an account, or of all; the longest waiting first. */
export function listSenders(
  { db, t }: Tx,
  { accountId, status }: { accountId: string | undefined; status: SenderRow['status'] | undefined },
): Promise<OwnedSender[]> {
  const { senderIds, accounts } = t
  return db
    .select({ ...getTableColumns(senderIds), email: accounts.email })
    .from(senderIds)
    .innerJoin(accounts, eq(accounts.id, senderIds.accountId))
    .where(
      and(
        accountId === undefined ? undefined : eq(senderIds.accountId, accountId),
        status && eq(senderIds.status, status),
      ),
    )
    .orderBy(asc(senderIds.createdAt), asc(senderIds.sender))
}

/** A sender ID that waits, by which the next page begins. */
export type SenderPlace = Pick<SenderRow, 'createdAt' | 'accountId' | 'sender'>

/** A sender ID with the name of the account that has it. */
export interface NamedSender extends SenderRow {
  name: string
}

/** The sender IDs that wait for a decision, after one of them; the longest waiting first. */
export function waitingSenders(
  { run }: Tx,
  { after, limit }: { after: SenderPlace | undefined; limit: number },
): Promise<NamedSender[]> {
  const start = after ? [after.createdAt, after.accountId, after.sender] : []
  return run<NamedSender>(
    `SELECT ${NAMED} FROM sender_ids s JOIN accounts a ON a.id = s.account_id
     WHERE s.status = 'pending' ${after ? 'AND (s.created_at, s.account_id, s.sender) > ($1, $2, $3)' : ''}
     ORDER BY s.created_at, s.account_id, s.sender LIMIT $${start.length + 1}`,
    [...start, limit],
  )
}

/** How many sender IDs wait for a decision. */
export async function countWaitingSenders({ run }: Tx): Promise<number> {
  const [row] = await run<{ count: number }>(
    `SELECT count(*) AS count FROM sender_ids WHERE status = 'pending'`,
    [],
  )
  return Number(row?.count)
}

const NAMED = `s.account_id AS "accountId", s.sender, s.status, s.reason, s.created_at AS "createdAt", a.name`
const START = 'lower(substr(s.sender, 1, 4))'
const MOST_ALIKE = 500

/**
 * Sender IDs that people could take for one of these: the same but for capitals, or, of names, with the same four letters
 * at the beginning. Numbers of a country all begin alike, which says nothing. The same come first; with those asked for.
 */
export async function sendersAlike({ run }: Tx, senders: readonly string[]): Promise<NamedSender[]> {
  if (senders.length === 0) return []
  const wholes = senders.map((sender) => sender.toLowerCase())
  const starts = wholes.map(senderStart)
  const startsOfNames = wholes.map((whole) => (isNumber(whole) ? '' : senderStart(whole)))
  const list = (taken: number) => placeholders(1, senders.length, undefined, taken)
  const isSame = (taken: number) => `lower(s.sender) IN ${list(taken * senders.length)}`
  return run<NamedSender>(
    `SELECT ${NAMED} FROM sender_ids s JOIN accounts a ON a.id = s.account_id
     WHERE ${START} IN ${list(0)} AND (${isSame(1)} OR ${START} IN ${list(2 * senders.length)})
     ORDER BY CASE WHEN ${isSame(3)} THEN 0 ELSE 1 END, s.status, s.created_at, s.sender LIMIT ${MOST_ALIKE}`,
    [...starts, ...wholes, ...startsOfNames, ...wholes],
  )
}

/** What names that look alike have in common. */
export function senderStart(sender: string): string {
  return sender.slice(0, 4).toLowerCase()
}

function isNumber(sender: string): boolean {
  return /^\d+$/.test(sender)
}

/** False when the account has that status already. */
export async function setAccountStatus(
  { db, t }: Tx,
  id: string,
  { status, statusAt }: Pick<AccountRow, 'status' | 'statusAt'>,
): Promise<boolean> {
  const changed = await db
    .update(t.accounts)
    .set({ status, statusAt })
    .where(and(eq(t.accounts.id, id), ne(t.accounts.status, status)))
    .returning()
  return changed.length > 0
}

export interface SenderDecision extends Pick<SenderRow, 'accountId' | 'sender' | 'status'> {
  /** Why it is rejected, for the customer. */
  reason?: string | undefined
}

/** False when nothing changed: it is so already. */
export async function setSenderStatus(
  { run }: Tx,
  { accountId, sender, status, reason }: SenderDecision,
  now: EpochMs,
): Promise<boolean> {
  const changed = await run(
    `INSERT INTO sender_ids (account_id, sender, status, reason, created_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (account_id, sender) DO UPDATE SET status = excluded.status, reason = excluded.reason
     WHERE sender_ids.status <> excluded.status OR coalesce(sender_ids.reason, '') <> coalesce(excluded.reason, '')
     RETURNING sender`,
    [accountId, sender, status, reason ?? null, now],
  )
  return changed.length > 0
}

/** Decides on a sender ID while its status is still the one that was seen. False when it is not. */
export async function decideSender(
  { run }: Tx,
  { accountId, sender, status, reason }: SenderDecision,
  seen: SenderRow['status'],
): Promise<boolean> {
  const changed = await run(
    `UPDATE sender_ids SET status = $1, reason = $2
     WHERE account_id = $3 AND sender = $4 AND status = $5 RETURNING sender`,
    [status, reason ?? null, accountId, sender, seen],
  )
  return changed.length > 0
}

/** Adds a sender ID unless the account has it. True if it was added. */
export async function addSender({ run }: Tx, row: Omit<SenderRow, 'reason'>): Promise<boolean> {
  const { accountId, sender, status, createdAt } = row
  const added = await run(
    `INSERT INTO sender_ids (account_id, sender, status, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id, sender) DO NOTHING RETURNING sender`,
    [accountId, sender, status, createdAt],
  )
  return added.length > 0
}
