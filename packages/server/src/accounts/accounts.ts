import { asc, eq, or } from 'drizzle-orm'
import type { EpochMs } from '../domain/ids.ts'
import { insertWallet } from '../money/index.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { Tables } from '../platform/database/schema.ts'

export type AccountRow = Tables['accounts']['$inferSelect']
export type SenderRow = Tables['senderIds']['$inferSelect']

export interface NewAccount {
  account: Pick<AccountRow, 'id' | 'name' | 'email' | 'passwordHash' | 'callbackSecret'>
  client: { id: string; secretHash: string }
  wallet: { id: string; tokenHash: string; currency: string }
  senders: readonly string[]
}

/** Creates an account with its API client, its empty wallet and its approved senders. */
export async function insertAccount(tx: Tx, made: NewAccount, now: EpochMs): Promise<void> {
  const { t } = tx
  const accountId = made.account.id
  const account: AccountRow = {
    ...made.account,
    status: 'active',
    callbackSecretPrevious: null,
    callbackSecretRotatedAt: 0,
    createdAt: now,
  }
  await insertRows(tx, t.accounts, [account])
  await insertRows(tx, t.clients, [{ ...made.client, accountId, createdAt: now }])
  await insertWallet(tx, { ...made.wallet, accountId }, now)
  const senders = made.senders.map((sender) => ({
    accountId,
    sender,
    status: 'approved' as const,
    createdAt: now,
  }))
  await insertRows(tx, t.senderIds, senders)
}

/** The data needed to check a caller's credentials. */
export interface KnownClient {
  clientId: string
  secretHash: string
  accountId: string
  status: AccountRow['status']
}

export async function findClient({ db, t }: Tx, clientId: string): Promise<KnownClient | undefined> {
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

/** An account by its id or its e-mail address. */
export async function findAccount({ db, t }: Tx, idOrEmail: string): Promise<AccountRow | undefined> {
  const [row] = await db
    .select()
    .from(t.accounts)
    .where(or(eq(t.accounts.id, idOrEmail), eq(t.accounts.email, idOrEmail.toLowerCase())))
  return row
}

/** The account that signs in with this e-mail address. Pass it in lower case. */
export async function findAccountByEmail({ db, t }: Tx, email: string): Promise<AccountRow | undefined> {
  const [row] = await db.select().from(t.accounts).where(eq(t.accounts.email, email))
  return row
}

export function listAccounts({ db, t }: Tx): Promise<AccountRow[]> {
  return db.select().from(t.accounts).orderBy(asc(t.accounts.createdAt), asc(t.accounts.id))
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

export async function setAccountStatus(
  { db, t }: Tx,
  id: string,
  status: AccountRow['status'],
): Promise<void> {
  await db.update(t.accounts).set({ status }).where(eq(t.accounts.id, id))
}

export async function setPasswordHash({ db, t }: Tx, id: string, passwordHash: string): Promise<void> {
  await db.update(t.accounts).set({ passwordHash }).where(eq(t.accounts.id, id))
}

export async function setClientSecret({ db, t }: Tx, clientId: string, secretHash: string): Promise<void> {
  await db.update(t.clients).set({ secretHash }).where(eq(t.clients.id, clientId))
}

/** Replaces the account's sealed callback secret and keeps the old one as the previous secret. */
export async function setCallbackSecret(
  { db, t }: Tx,
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
  { run }: Tx,
  { accountId, sender, status }: Pick<SenderRow, 'accountId' | 'sender' | 'status'>,
  now: EpochMs,
): Promise<void> {
  await run(
    `INSERT INTO sender_ids (account_id, sender, status, created_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (account_id, sender) DO UPDATE SET status = excluded.status`,
    [accountId, sender, status, now],
  )
}
