import { and, eq, gt, inArray, lt, notExists, or } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Connection, Database } from './database.ts'
import { deleteSlice, SLICE, type Step, walk } from './slices.ts'

/** A record of the authorization server, as it wrote it. */
export interface OauthRecord {
  model: string
  id: string
  payload: string
  grantId: string | null
  /** 0 is never. */
  expiresAt: number
}

/** Writes a record over the one that is there. */
export async function putRecord({ db, t }: Connection, record: OauthRecord, now: EpochMs): Promise<void> {
  const { model, id, ...rest } = record
  await db
    .insert(t.oauthRecords)
    .values({ ...record, createdAt: now })
    .onConflictDoUpdate({ target: [t.oauthRecords.model, t.oauthRecords.id], set: rest })
}

export type FoundRecord = OauthRecord & { consumedAt: number }

export async function findRecord(
  { db, t }: Connection,
  model: string,
  id: string,
): Promise<FoundRecord | undefined> {
  const [row] = await db
    .select()
    .from(t.oauthRecords)
    .where(and(eq(t.oauthRecords.model, model), eq(t.oauthRecords.id, id)))
  return row
}

/** Marks a record as used, and says whether it is the first time: of several at once, one is told so. */
export async function consumeRecord(
  { db, t }: Connection,
  model: string,
  id: string,
  now: EpochMs,
): Promise<boolean> {
  const rows = await db
    .update(t.oauthRecords)
    .set({ consumedAt: now })
    .where(and(eq(t.oauthRecords.model, model), eq(t.oauthRecords.id, id), eq(t.oauthRecords.consumedAt, 0)))
    .returning({ id: t.oauthRecords.id })
  return rows.length > 0
}

export async function removeRecord({ db, t }: Connection, model: string, id: string): Promise<void> {
  await db.delete(t.oauthRecords).where(and(eq(t.oauthRecords.model, model), eq(t.oauthRecords.id, id)))
}

/** Removes the records of one model that stand on a grant. */
export async function removeOfGrant({ db, t }: Connection, model: string, grantId: string): Promise<void> {
  const { oauthRecords } = t
  await db.delete(oauthRecords).where(and(eq(oauthRecords.model, model), eq(oauthRecords.grantId, grantId)))
}

const UNUSED_MS = 24 * 3_600_000
const ENDED_MS = 30 * UNUSED_MS

/** Forgets a slice of what has expired, and says whether there may be more. */
export function pruneRecords(connection: Connection, now: EpochMs): Promise<boolean> {
  return deleteSlice(connection, {
    table: 'oauth_records',
    key: 'model, id',
    where: 'expires_at > 0 AND expires_at < $1',
    values: [now],
    orderBy: 'expires_at',
  })
}

/** Forgets clients that registered themselves and that no account has connected. */
export function pruneClients(database: Database, now: EpochMs): Step {
  return walk(
    (after) =>
      database.read(({ run }) =>
        run(`SELECT id FROM oauth_records WHERE model = 'Client' AND id > $1 ORDER BY id LIMIT ${SLICE}`, [
          after,
        ]),
      ),
    (ids) => database.write((connection) => removeUnused(connection, ids, now), { patient: true }),
  )
}

async function removeUnused({ db, t }: Connection, ids: readonly string[], now: EpochMs): Promise<void> {
  const { oauthRecords, connections } = t
  const inUse = db
    .select({ id: connections.id })
    .from(connections)
    .where(
      and(
        eq(connections.clientId, oauthRecords.id),
        or(eq(connections.endedAt, 0), gt(connections.endedAt, now - ENDED_MS)),
      ),
    )
  await db
    .delete(oauthRecords)
    .where(
      and(
        eq(oauthRecords.model, 'Client'),
        inArray(oauthRecords.id, [...ids]),
        lt(oauthRecords.createdAt, epochMs(now - UNUSED_MS)),
        notExists(inUse),
      ),
    )
}
