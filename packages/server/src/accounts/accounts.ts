import { and, asc, desc, eq, inArray, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import { insertWallet } from '../money/index.ts'
import type { Tx } from '../store/database.ts'
import { insertRows, placeholders } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
import { insertKeys, type KeyRow } from './keys.ts'
import { canSignIn, join, lockPerson, personOf, setPasswordHash } from './people/index.ts'

export type AccountRow = Tables['accounts']['$inferSelect']

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
    ...made.account,
    status: 'active',
    statusAt: now,
    createdAt: now,
    secondFactor: 'optional',
    assistantsSpend: null,
    assistantsMessages: null,
    country: '',
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

/** Of all accounts, those that a search finds, and of them those with a wallet that is marked as low, or in a state. */
export interface AccountFilter {
  search: string
  low: boolean
  status?: AccountRow['status'] | undefined
}

/** The newest accounts of a filter, before one of them. */
export function newestAccounts(
  { db, t }: Tx,
  { before, limit, ...filter }: AccountFilter & { before: string | undefined; limit: number },
): Promise<AccountRow[]> {
  const older = before === undefined ? undefined : lt(t.accounts.id, before)
  return db
    .select()
    .from(t.accounts)
    .where(and(matches(t, filter), older))
    .orderBy(desc(t.accounts.id))
    .limit(limit)
}

export type AccountOrder = 'name' | 'balance' | 'seen'

/**
 * The accounts of a filter in another order: by name, by what their wallets can spend, the least first, or by when their
 * programs last called. It reads every account of the filter, and nothing that grows with messages.
 */
export async function orderedAccounts(
  { db, t }: Tx,
  { order, skip, limit, ...filter }: AccountFilter & { order: AccountOrder; skip: number; limit: number },
): Promise<AccountRow[]> {
  const { accounts, wallets, keys } = t
  // Joined as a whole: PostgreSQL takes seconds to look up 100,000 one by one.
  const amounts = db
    .select({
      accountId: wallets.accountId,
      least: sql`min(${wallets.posted} - ${wallets.held})`.as('least'),
    })
    .from(wallets)
    .groupBy(wallets.accountId)
    .as('amounts')
  const uses = db
    .select({ accountId: keys.accountId, last: sql`max(${keys.usedAt})`.as('last') })
    .from(keys)
    .where(ne(keys.kind, 'callback'))
    .groupBy(keys.accountId)
    .as('uses')
  const by = {
    // Erased ones have no name, and come last.
    name: [sql`CASE WHEN ${accounts.name} = '' THEN 1 ELSE 0 END`, sql`lower(${accounts.name})`],
    balance: [sql`coalesce(${amounts.least}, 0)`],
    seen: [sql`coalesce(${uses.last}, 0) DESC`],
  }
  const all = db.select({ account: accounts }).from(accounts)
  const joined =
    order === 'balance'
      ? all.leftJoin(amounts, eq(amounts.accountId, accounts.id))
      : order === 'seen'
        ? all.leftJoin(uses, eq(uses.accountId, accounts.id))
        : all
  const rows = await joined
    .where(matches(t, filter))
    .orderBy(...by[order], desc(accounts.id))
    .limit(limit)
    .offset(skip)
  return rows.map(({ account }) => account)
}

/** How many accounts a filter finds, counted up to a number. */
export async function countAccounts({ db, t }: Tx, filter: AccountFilter, most: number): Promise<number> {
  const some = db
    .select({ id: t.accounts.id })
    .from(t.accounts)
    .where(matches(t, filter))
    .limit(most)
    .as('some')
  const [row] = await db.select({ count: sql<number | string>`count(*)` }).from(some)
  return Number(row?.count ?? 0)
}

function matches(t: Tables, { search, low, status }: AccountFilter): SQL | undefined {
  return and(
    found(t, search),
    low ? isLow(t) : undefined,
    status === undefined ? undefined : eq(t.accounts.status, status),
  )
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

/**
 * The accounts whose wallets have no amount below which they are low, oldest first: of all, or of those with wallets in a
 * currency. Erased ones and those that move to another cell can't get one.
 */
export function unwatchedAccounts({ run }: Tx, currency?: string) {
  return run<{ accountId: string; currency: string }>(
    `SELECT a.id AS "accountId", w.currency FROM wallets w JOIN accounts a ON a.id = w.account_id
     WHERE NOT EXISTS (SELECT 1 FROM wallet_warnings low WHERE low.wallet_id = w.id)
       AND NOT EXISTS (SELECT 1 FROM settings s WHERE s.name = 'moving:' || a.id)
       AND a.email <> 'erased:' || a.id ${currency === undefined ? '' : 'AND w.currency = $1'}
     ORDER BY a.created_at, a.id`,
    currency === undefined ? [] : [currency],
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

/** Sets the name and the own address of an account. */
export async function setAccountFacts(
  { db, t }: Tx,
  id: string,
  { name, email, country }: Pick<AccountRow, 'name' | 'email' | 'country'>,
): Promise<void> {
  await db.update(t.accounts).set({ name, email, country }).where(eq(t.accounts.id, id))
}

/** Replaces an erased account's e-mail address. Addresses are unique, and no real one looks like this. */
const addressOf = (id: string) => `erased:${id}`

export function isErased({ id, email }: Pick<AccountRow, 'id' | 'email'>): boolean {
  return email === addressOf(id)
}

/** Deletes an account's keys, clients and sender IDs, and empties its own row. Its wallets and their ledger stay. */
export async function eraseAccountRows({ db, t }: Tx, id: string): Promise<void> {
  await db.delete(t.keyAddresses).where(eq(t.keyAddresses.accountId, id))
  await db.delete(t.keys).where(eq(t.keys.accountId, id))
  await db.delete(t.clients).where(eq(t.clients.accountId, id))
  await db.delete(t.senderIds).where(eq(t.senderIds.accountId, id))
  await db.delete(t.refusals).where(eq(t.refusals.accountId, id))
  const erased = { name: 'erased', email: addressOf(id) }
  await db.update(t.accounts).set(erased).where(eq(t.accounts.id, id))
}
