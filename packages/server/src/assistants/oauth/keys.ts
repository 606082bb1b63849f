import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { desc, inArray } from 'drizzle-orm'
import { createOperatorAudit, type OperatorAuditOptions } from '../../audit/index.ts'
import { type EpochMs, epochMs } from '../../domain/ids.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { insertRows } from '../../platform/database/rows.ts'
import type { Tables } from '../../platform/database/schema.ts'
import { claimSetting } from '../../platform/database/settings.ts'
import type { SealedAt } from '../../platform/secrets/box.ts'
import type { Sealer } from '../../platform/secrets/sealing.ts'

/** The keys that the authorization server signs with, newest first. */
export interface OauthKeys {
  /** Identifies this set of keys: changes when they do. */
  version: string
  /** Private keys as JWKs. */
  signing: Record<string, string>[]
  cookies: string[]
}

export interface OauthKeyring {
  /** The current keys. The first call ever creates them. */
  current(): Promise<OauthKeys>
  /** Creates new keys. The previous ones still verify for a month. */
  rotate(): Promise<{ kid: string; retired: number }>
}

export interface OauthKeyringOptions extends OperatorAuditOptions {
  database: Database
  sealer: Sealer
}

/** As long as a refresh token lives. */
const KEEP_MS = 30 * 24 * 3_600_000
const PURPOSES = ['sign', 'cookie'] as const

export function createOauthKeyring(options: OauthKeyringOptions): OauthKeyring {
  const { database, clock, sealer, newId } = options
  const audit = createOperatorAudit(options)

  async function make(tx: Tx): Promise<string> {
    const now = clock.now()
    const kid = newId(now)
    const add = async (id: string, purpose: OauthKeyRow['purpose'], plain: string) =>
      addKey(tx, { id, purpose, sealed: await sealer.seal(tx, plain, rowOf(id)), createdAt: now })
    await add(kid, 'sign', signingKey(kid))
    await add(newId(now), 'cookie', randomBytes(32).toString('base64url'))
    return kid
  }

  function opened(rows: readonly OauthKeyRow[]): OauthKeys {
    const plain = (purpose: OauthKeyRow['purpose']) =>
      rows.filter((row) => row.purpose === purpose).map(({ id, sealed }) => sealer.open(sealed, rowOf(id)))
    return {
      version: rows.map(({ id }) => id).join(' '),
      signing: plain('sign').map((text) => JSON.parse(text)),
      cookies: plain('cookie'),
    }
  }

  return {
    async current() {
      const rows = await database.read(listKeys)
      if (rows.length > 0) return opened(rows)
      return database.write(async (tx) => {
        // If several processes start on an empty database, exactly one makes the keys; the others wait here.
        if (await claimSetting(tx, 'oauth_keys', 'made')) await make(tx)
        return opened(await listKeys(tx))
      })
    },

    rotate: () =>
      database.write(async (tx) => {
        const before = await listKeys(tx)
        const now = clock.now()
        const kid = await make(tx)
        const outdated = PURPOSES.flatMap((purpose) => retirable(before, purpose, epochMs(now - KEEP_MS)))
        await removeKeys(tx, outdated)
        const retired = outdated.length / PURPOSES.length
        await audit(tx, { action: 'keys.rotate', detail: { kid, retired } })
        return { kid, retired }
      }),
  }
}

function rowOf(key: string): SealedAt {
  return { table: 'oauth_keys', key }
}

/** A key can be retired when its successor is old enough, regardless of its own age. */
function retirable(rows: readonly OauthKeyRow[], of: OauthKeyRow['purpose'], before: EpochMs): string[] {
  const keys = rows.filter(({ purpose }) => purpose === of)
  return keys.flatMap(({ id }, index) => {
    const successor = keys[index - 1]
    return successor !== undefined && successor.createdAt < before ? [id] : []
  })
}

function signingKey(kid: string): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return JSON.stringify({ ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' })
}

export type OauthKeyRow = Tables['oauthKeys']['$inferSelect']

/** The stored keys of the authorization server, newest first. */
export function listKeys({ db, t }: Tx): Promise<OauthKeyRow[]> {
  return db.select().from(t.oauthKeys).orderBy(desc(t.oauthKeys.createdAt), desc(t.oauthKeys.id))
}

function addKey(tx: Tx, key: OauthKeyRow): Promise<void> {
  return insertRows(tx, tx.t.oauthKeys, [key])
}

async function removeKeys({ db, t }: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.delete(t.oauthKeys).where(inArray(t.oauthKeys.id, [...ids]))
}
