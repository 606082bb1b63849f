import { hash } from 'node:crypto'
import { and, eq, gt, inArray, lt, notExists, or } from 'drizzle-orm'
import type { Parts } from '../../flow/parts.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import type { Clock } from '../../kernel/process/clock.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import type { Database, Tx } from '../../store/database.ts'
import { deleteSlice, SLICE, type Step, walk } from '../../store/slices.ts'

/** The authorization server's records. */
export class OauthRecords {
  readonly #database: Database
  readonly #clock: Clock

  constructor({ database, clock }: Pick<Parts, 'database' | 'clock'>) {
    this.#database = database
    this.#clock = clock
  }

  put(record: OauthRecord): Promise<void> {
    return this.#database.write((tx) => putRecord(tx, record, this.#clock.now()))
  }

  async find(model: string, id: string): Promise<FoundRecord | undefined> {
    const [row] = await this.#database.read(({ db, t: { oauthRecords } }) =>
      db
        .select()
        .from(oauthRecords)
        .where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, id))),
    )
    return row
  }

  /** Marks a record as used. True for the first call only, also among concurrent ones. */
  async consume(model: string, id: string): Promise<boolean> {
    const rows = await this.#database.write(({ db, t: { oauthRecords } }) =>
      db
        .update(oauthRecords)
        .set({ consumedAt: this.#clock.now() })
        .where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, id), eq(oauthRecords.consumedAt, 0)))
        .returning({ id: oauthRecords.id }),
    )
    return rows.length > 0
  }

  remove(model: string, id: string): Promise<void> {
    return this.#database.write(async ({ db, t: { oauthRecords } }) => {
      await db.delete(oauthRecords).where(and(eq(oauthRecords.model, model), eq(oauthRecords.id, id)))
    })
  }

  /** Deletes the records of one model that depend on a grant. */
  removeOfGrant(model: string, grantId: string): Promise<void> {
    return this.#database.write(async ({ db, t: { oauthRecords } }) => {
      await db
        .delete(oauthRecords)
        .where(and(eq(oauthRecords.model, model), eq(oauthRecords.grantId, grantId)))
    })
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
interface OauthRecord {
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

type FoundRecord = OauthRecord & { consumedAt: number }

const UNUSED_MS = DAY_MS
const ENDED_MS = 30 * DAY_MS

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
