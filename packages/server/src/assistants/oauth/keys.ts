import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { desc, inArray } from 'drizzle-orm'
import type { Parts } from '../../flow/parts.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { DAY_MS } from '../../kernel/time/spans.ts'
import { createOperatorAudit, type OperatorAuditOptions } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { Tables } from '../../store/schema/schema.ts'
import type { SealedAt, Sealer } from '../../store/secrets/sealing.ts'
import { claimSetting } from '../../store/settings.ts'

/** The keys that the authorization server signs with, newest first. */
export interface OauthKeys {
  /** Identifies this set of keys: changes when they do. */
  version: string
  /** Private keys as JWKs. */
  signing: Record<string, string>[]
  cookies: string[]
}

/** As long as a refresh token lives. */
const KEEP_MS = 30 * DAY_MS
const PURPOSES = ['sign', 'cookie'] as const

/** The keys of the authorization server, sealed in the database. */
export class OauthKeyring {
  readonly #parts: OperatorAuditOptions & Pick<Parts, 'database'> & { sealer: Sealer }

  constructor(parts: OperatorAuditOptions & Pick<Parts, 'database'> & { sealer: Sealer }) {
    this.#parts = parts
  }

  /** The current keys. The first call ever creates them. */
  async current(): Promise<OauthKeys> {
    const { database } = this.#parts
    const rows = await database.read(listKeys)
    if (rows.length > 0) return this.#opened(rows)
    return database.write(async (tx) => {
      // If several processes start on an empty database, exactly one makes the keys; the others wait here.
      if (await claimSetting(tx, 'oauth_keys', 'made')) await this.#make(tx)
      return this.#opened(await listKeys(tx))
    })
  }

  /** Creates new keys. The previous ones still verify for a month. */
  rotate(): Promise<{ kid: string; retired: number }> {
    const { database, clock } = this.#parts
    return database.write(async (tx) => {
      const before = await listKeys(tx)
      const now = clock.now()
      const kid = await this.#make(tx)
      const outdated = PURPOSES.flatMap((purpose) => retirable(before, purpose, epochMs(now - KEEP_MS)))
      await removeKeys(tx, outdated)
      const retired = outdated.length / PURPOSES.length
      await createOperatorAudit(this.#parts)(tx, { action: 'keys.rotate', detail: { kid, retired } })
      return { kid, retired }
    })
  }

  async #make(tx: Tx): Promise<string> {
    const { clock, newId, sealer } = this.#parts
    const now = clock.now()
    const kid = newId(now)
    const add = async (id: string, purpose: OauthKeyRow['purpose'], plain: string) =>
      addKey(tx, { id, purpose, sealed: await sealer.seal(tx, plain, rowOf(id)), createdAt: now })
    await add(kid, 'sign', signingKey(kid))
    await add(newId(now), 'cookie', randomBytes(32).toString('base64url'))
    return kid
  }

  #opened(rows: readonly OauthKeyRow[]): OauthKeys {
    const { sealer } = this.#parts
    const plain = (purpose: OauthKeyRow['purpose']) =>
      rows.filter((row) => row.purpose === purpose).map(({ id, sealed }) => sealer.open(sealed, rowOf(id)))
    return {
      version: rows.map(({ id }) => id).join(' '),
      signing: plain('sign').map((text) => JSON.parse(text)),
      cookies: plain('cookie'),
    }
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

type OauthKeyRow = Tables['oauthKeys']['$inferSelect']

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
