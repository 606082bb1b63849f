import { and, asc, desc, eq, gt, inArray, or } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Tx } from '../store/database.ts'
import { insertRows } from '../store/rows.ts'
import type { Tables } from '../store/schema/schema.ts'
import { deleteSlice, SLICE } from '../store/slices.ts'

/**
 * A secret that an account calls the gateway with, or that the gateway signs its callbacks with. `stored` is a digest,
 * or the sealed callback secret. The current key of an owner has no end (0); those before it live on until theirs.
 */
export type KeyRow = Tables['keys']['$inferSelect']
export type KeyKind = KeyRow['kind']

/** Whose key it is: an API client, a wallet, or the account itself for callbacks. */
export type KeyOwner = Pick<KeyRow, 'accountId' | 'kind' | 'ownerId'>

/** The end of a key that was ended at once: long past, so that it stays ended when the wall clock is set back. */
const ENDED = epochMs(1)

/** Whether a key still works. */
export function works({ endsAt }: Pick<KeyRow, 'endsAt'>, now: EpochMs): boolean {
  return endsAt === 0 || endsAt > now
}

export function insertKeys(tx: Tx, keys: readonly KeyRow[]): Promise<void> {
  return insertRows(tx, tx.t.keys, keys)
}

/** A key of an API client, not proven yet, with the status of its account. */
export interface ClientKey extends Pick<KeyRow, 'id' | 'stored' | 'usedAt' | 'endsAt' | 'accountId'> {
  status: Tables['accounts']['$inferSelect']['status']
}

/** The keys of an API client. */
export function keysOfClient({ db, t }: Tx, clientId: string): Promise<ClientKey[]> {
  const { id, stored, usedAt, endsAt, accountId } = t.keys
  return db
    .select({ id, stored, usedAt, endsAt, accountId, status: t.accounts.status })
    .from(t.keys)
    .innerJoin(t.accounts, eq(t.accounts.id, t.keys.accountId))
    .where(and(eq(t.keys.ownerId, clientId), eq(t.keys.kind, 'client')))
}

/** A wallet's key, with the wallet that it opens. */
export interface WalletKey extends Pick<KeyRow, 'id' | 'usedAt' | 'endsAt' | 'accountId'> {
  wallet: { id: string; currency: string }
}

/** The key that a wallet token is, by its digest. */
export async function findWalletKey({ db, t }: Tx, digest: string): Promise<WalletKey | undefined> {
  const { id, usedAt, endsAt, accountId } = t.keys
  const [row] = await db
    .select({ id, usedAt, endsAt, accountId, walletId: t.wallets.id, currency: t.wallets.currency })
    .from(t.keys)
    .innerJoin(t.wallets, eq(t.wallets.id, t.keys.ownerId))
    .where(and(eq(t.keys.stored, digest), eq(t.keys.kind, 'wallet')))
  if (!row) return undefined
  const { walletId, currency, ...key } = row
  return { ...key, wallet: { id: walletId, currency } }
}

/** The keys of an account that still work, or only those of some owners: by kind, the current one first, then the newest. */
export function livingKeys(
  { db, t }: Tx,
  { accountId, owners }: { accountId: string; owners?: readonly string[] },
  now: EpochMs,
): Promise<KeyRow[]> {
  return db
    .select()
    .from(t.keys)
    .where(
      and(
        eq(t.keys.accountId, accountId),
        owners && inArray(t.keys.ownerId, [...owners]),
        or(eq(t.keys.endsAt, 0), gt(t.keys.endsAt, now)),
      ),
    )
    .orderBy(asc(t.keys.kind), asc(t.keys.ownerId), desc(t.keys.createdAt), asc(t.keys.endsAt))
}

/** A key, whether or not it still works. */
export async function findKey({ db, t }: Tx, accountId: string, id: string): Promise<KeyRow | undefined> {
  // PostgreSQL rejects zero characters, and no key's id contains one.
  if (id.includes('\0')) return undefined
  const [row] = await db
    .select()
    .from(t.keys)
    .where(and(eq(t.keys.id, id), eq(t.keys.accountId, accountId)))
  return row
}

/** The current key of an owner. */
export async function currentKey({ db, t }: Tx, { kind, ownerId }: Pick<KeyRow, 'kind' | 'ownerId'>) {
  const [row] = await db
    .select()
    .from(t.keys)
    .where(and(eq(t.keys.ownerId, ownerId), eq(t.keys.kind, kind), eq(t.keys.endsAt, 0)))
  return row
}

/**
 * Gives the current key an end; at once if undefined. False when it is not current any more: exactly one of several
 * callers gets true.
 */
export async function endCurrent({ db, t }: Tx, id: string, endsAt: EpochMs | undefined): Promise<boolean> {
  const rows = await db
    .update(t.keys)
    .set({ endsAt: endsAt ?? ENDED })
    .where(and(eq(t.keys.id, id), eq(t.keys.endsAt, 0)))
    .returning()
  return rows.length > 0
}

/** Ends the old keys of an owner now, or only one of them. Returns how many still worked. */
export async function endOld(
  { db, t }: Tx,
  { kind, ownerId, id }: Pick<KeyRow, 'kind' | 'ownerId'> & { id?: string },
  now: EpochMs,
): Promise<number> {
  const rows = await db
    .update(t.keys)
    .set({ endsAt: ENDED })
    .where(
      and(
        eq(t.keys.ownerId, ownerId),
        eq(t.keys.kind, kind),
        gt(t.keys.endsAt, now),
        id === undefined ? undefined : eq(t.keys.id, id),
      ),
    )
    .returning()
  return rows.length
}

/** The keys that sign an account's callbacks: the current one first. */
export function callbackKeys(tx: Tx, accountId: string, now: EpochMs): Promise<KeyRow[]> {
  return livingKeys(tx, { accountId, owners: [accountId] }, now)
}

/** Deletes a slice of the keys that ended before a time, and where they were used from. True if there may be more. */
export async function pruneKeys(tx: Tx, before: EpochMs): Promise<boolean> {
  const where = 'ends_at > 0 AND ends_at < $1'
  const orderBy = 'ends_at, id'
  await tx.run(
    `DELETE FROM key_addresses WHERE key_id IN (SELECT id FROM keys WHERE ${where} ORDER BY ${orderBy} LIMIT ${SLICE})`,
    [before],
  )
  return deleteSlice(tx, { table: 'keys', key: 'id', where, values: [before], orderBy })
}
