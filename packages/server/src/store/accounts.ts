import { asc, eq, or } from 'drizzle-orm'
import type { EpochMs } from '../domain/ids.ts'
import type { Micros } from '../domain/money.ts'
import type { Connection } from './database.ts'
import type { Tables } from './schema.ts'

export type AccountRow = Tables['accounts']['$inferSelect']
export type WalletRow = Tables['wallets']['$inferSelect']
export type SenderRow = Tables['senderIds']['$inferSelect']

export interface NewAccount {
  account: Pick<AccountRow, 'id' | 'name' | 'email' | 'passwordHash' | 'callbackSecret'>
  client: { id: string; secretHash: string }
  wallet: { id: string; tokenHash: string; currency: string }
  senders: readonly string[]
}

/** Makes an account with its API client, its empty wallet and its approved senders. */
export async function insertAccount({ db, t }: Connection, made: NewAccount, now: EpochMs): Promise<void> {
  const accountId = made.account.id
  await db.insert(t.accounts).values({ ...made.account, status: 'active', createdAt: now })
  await db.insert(t.clients).values({ ...made.client, accountId, createdAt: now })
  const empty = { posted: 0 as Micros, held: 0 as Micros, entries: 0 }
  await db.insert(t.wallets).values({ ...made.wallet, ...empty, accountId, createdAt: now })
  for (const sender of made.senders) {
    await db.insert(t.senderIds).values({ accountId, sender, status: 'approved', createdAt: now })
  }
}

/** What is needed to know a caller by its credentials. */
export interface KnownClient {
  clientId: string
  secretHash: string
  accountId: string
  status: AccountRow['status']
}

export async function findClient({ db, t }: Connection, clientId: string): Promise<KnownClient | undefined> {
  const [row] = await db
    .select({
      clientId: t.clients.id,
      secretHash: t.clients.secretHash,
      accountId: t.accounts.id,
      status: t.accounts.status,
    })
    .from(t.clients)
    .innerJoin(t.accounts, eq(t.accounts.id, t.clients.accountId))
    .where(eq(t.clients.id, clientId))
  return row
}

export async function findWalletByToken(
  { db, t }: Connection,
  tokenHash: string,
): Promise<WalletRow | undefined> {
  const [row] = await db.select().from(t.wallets).where(eq(t.wallets.tokenHash, tokenHash))
  return row
}

export async function findWallet({ db, t }: Connection, id: string): Promise<WalletRow | undefined> {
  const [row] = await db.select().from(t.wallets).where(eq(t.wallets.id, id))
  return row
}

/** An account by its id or its e-mail address. */
export async function findAccount({ db, t }: Connection, idOrEmail: string): Promise<AccountRow | undefined> {
  const [row] = await db
    .select()
    .from(t.accounts)
    .where(or(eq(t.accounts.id, idOrEmail), eq(t.accounts.email, idOrEmail.toLowerCase())))
  return row
}

/** Who signs in with this e-mail address, which is expected in lower case. */
export async function findAccountByEmail(
  { db, t }: Connection,
  email: string,
): Promise<AccountRow | undefined> {
  const [row] = await db.select().from(t.accounts).where(eq(t.accounts.email, email))
  return row
}

export function listAccounts({ db, t }: Connection): Promise<AccountRow[]> {
  return db.select().from(t.accounts).orderBy(asc(t.accounts.createdAt), asc(t.accounts.id))
}

export function walletsOf({ db, t }: Connection, accountId: string): Promise<WalletRow[]> {
  return db
    .select()
    .from(t.wallets)
    .where(eq(t.wallets.accountId, accountId))
    .orderBy(asc(t.wallets.createdAt))
}

export function clientsOf({ db, t }: Connection, accountId: string) {
  return db
    .select()
    .from(t.clients)
    .where(eq(t.clients.accountId, accountId))
    .orderBy(asc(t.clients.createdAt))
}

export function sendersOf({ db, t }: Connection, accountId: string): Promise<SenderRow[]> {
  return db
    .select()
    .from(t.senderIds)
    .where(eq(t.senderIds.accountId, accountId))
    .orderBy(asc(t.senderIds.sender))
}

export async function setAccountStatus(
  { db, t }: Connection,
  id: string,
  status: AccountRow['status'],
): Promise<void> {
  await db.update(t.accounts).set({ status }).where(eq(t.accounts.id, id))
}

export async function setPasswordHash(
  { db, t }: Connection,
  id: string,
  passwordHash: string,
): Promise<void> {
  await db.update(t.accounts).set({ passwordHash }).where(eq(t.accounts.id, id))
}

export async function setClientSecret(
  { db, t }: Connection,
  clientId: string,
  secretHash: string,
): Promise<void> {
  await db.update(t.clients).set({ secretHash }).where(eq(t.clients.id, clientId))
}

/** Puts a sealed secret in the place of the account's, which stays readable as the previous one. */
export async function setCallbackSecret(
  { db, t }: Connection,
  { id, callbackSecret }: Pick<AccountRow, 'id' | 'callbackSecret'>,
  sealed: string,
  now: EpochMs,
): Promise<void> {
  await db
    .update(t.accounts)
    .set({
      callbackSecret: sealed,
      callbackSecretPrevious: callbackSecret,
      callbackSecretRotatedAt: now,
    })
    .where(eq(t.accounts.id, id))
}

export async function setSenderStatus(
  { db, t }: Connection,
  sender: Pick<SenderRow, 'accountId' | 'sender' | 'status'>,
  now: EpochMs,
): Promise<void> {
  await db
    .insert(t.senderIds)
    .values({ ...sender, createdAt: now })
    .onConflictDoUpdate({
      target: [t.senderIds.accountId, t.senderIds.sender],
      set: { status: sender.status },
    })
}
