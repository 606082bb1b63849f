import { hash } from 'node:crypto'
import { and, eq, gt, inArray, lt, notExists, or } from 'drizzle-orm'
import { type EpochMs, epochMs } from '../../domain/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { deleteSlice, SLICE, type Step, walk } from '../../platform/database/slices.ts'

/** The authorization server's records. */
export interface OauthRecords {
  put(record: OauthRecord): Promise<void>
  find(model: string, id: string): Promise<FoundRecord | undefined>
  /** Marks a record as used. True for the first call only, also among concurrent ones. */
  consume(model: string, id: string): Promise<boolean>
  remove(model: string, id: string): Promise<void>
  removeOfGrant(model: string, grantId: string): Promise<void>
}

export function createOauthRecords({ database, clock }: { database: Database; clock: Clock }): OauthRecords {
  return {
    put: (record) => database.write((tx) => putRecord(tx, record, clock.now())),
    find: (model, id) => database.read((tx) => findRecord(tx, model, id)),
    consume: (model, id) => database.write((tx) => consumeRecord(tx, model, id, clock.now())),
    remove: (model, id) => database.write((tx) => removeRecord(tx, model, id)),
    removeOfGrant: (model, grantId) => database.write((tx) => removeOfGrant(tx, model, grantId)),
  }
}

const NAMED = new Set(['Client', 'Grant'])

/** Whether the ids of a model are public. The id of any other record is a secret. */
export function isNamedOpenly(model: string): boolean {
  return NAMED.has(model)
}

/** The key that a record is stored under: the digest of an id that is a secret. */
export function recordKey(model: string, id: string): string {
  return isNamedOpenly(model) ? id : hash('sha256', id, 'base64url')
}

/** A record as the authorization server wrote it. */
export interface OauthRecord {
  model: string
  id: string
  payload: string
  grantId: string | null
  /** 0 means never. */
  expiresAt: number
}

/** Inserts a record, or replaces the stored one. */
export async function putRecord(
  { run }: Tx,
  { model, id, payload, grantId, expiresAt }: OauthRecord,
  now: EpochMs,
): Promise<void> {
  await run(
    `INSERT INTO oauth_records (model, id, payload, grant_id, expires_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (model, id) DO UPDATE
     SET payload = excluded.payload, grant_id = excluded.grant_id, expires_at = excluded.expires_at`,
    [model, id, payload, grantId, expiresAt, now],
  )
}

export type FoundRecord = OauthRecord & { consumedAt: number }

async function findRecord({ db, t }: Tx, model: string, id: string): Promise<FoundRecord | undefined> {
  const [row] = await db
    .select()
    .from(t.oauthRecords)
    .where(and(eq(t.oauthRecords.model, model), eq(t.oauthRecords.id, id)))
  return row
}

async function consumeRecord({ db, t }: Tx, model: string, id: string, now: EpochMs): Promise<boolean> {
  const rows = await db
    .update(t.oauthRecords)
    .set({ consumedAt: now })
    .where(and(eq(t.oauthRecords.model, model), eq(t.oauthRecords.id, id), eq(t.oauthRecords.consumedAt, 0)))
    .returning({ id: t.oauthRecords.id })
  return rows.length > 0
}

async function removeRecord({ db, t }: Tx, model: string, id: string): Promise<void> {
  await db.delete(t.oauthRecords).where(and(eq(t.oauthRecords.model, model), eq(t.oauthRecords.id, id)))
}

/** Deletes the records of one model that depend on a grant. */
async function removeOfGrant({ db, t }: Tx, model: string, grantId: string): Promise<void> {
  const { oauthRecords } = t
  await db.delete(oauthRecords).where(and(eq(oauthRecords.model, model), eq(oauthRecords.grantId, grantId)))
}

const UNUSED_MS = 24 * 3_600_000
const ENDED_MS = 30 * UNUSED_MS

/** Deletes a slice of the expired records. Returns whether there may be more. */
export function pruneRecords(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'oauth_records',
    key: 'model, id',
    where: 'expires_at > 0 AND expires_at < $1',
    values: [now],
    orderBy: 'expires_at',
  })
}

/**
 * Returns a step that deletes registered clients that are a day old and have no active or recently ended connection.
 */
export function pruneClients(database: Database, now: EpochMs): Step {
  return walk(
    (after) =>
      database.read(({ run }) =>
        run(`SELECT id FROM oauth_records WHERE model = 'Client' AND id > $1 ORDER BY id LIMIT ${SLICE}`, [
          after,
        ]),
      ),
    (ids) => database.write((tx) => removeUnused(tx, ids, now), { patient: true }),
  )
}

async function removeUnused({ db, t }: Tx, ids: readonly string[], now: EpochMs): Promise<void> {
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
