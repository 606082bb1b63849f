import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Connection, Database } from '../store/database.ts'
import { addKey, listKeys, type OauthKeyRow, removeKeys } from '../store/oauth-keys.ts'
import type { Sealer } from '../store/sealing.ts'
import { claimSetting } from '../store/settings.ts'
import { createAudit } from './audit.ts'

/** What the authorization server signs with, the newest first. */
export interface OauthKeys {
  /** Names this set of keys: it changes when they do. */
  version: string
  /** Private keys as JWKs. */
  signing: Record<string, string>[]
  cookies: string[]
}

export interface OauthKeyring {
  /** The keys there are; the first to ask makes the first ones. */
  current(): Promise<OauthKeys>
  /** Makes new keys. The ones before prove for a month more what they signed. */
  rotate(): Promise<{ kid: string; retired: number }>
}

export interface OauthKeyringOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  newId(now: number): string
}

/** As long as a refresh token lives. */
const KEEP_MS = 30 * 24 * 3_600_000
const PURPOSES = ['sign', 'cookie'] as const

export function createOauthKeyring({ database, clock, sealer, newId }: OauthKeyringOptions): OauthKeyring {
  const audit = createAudit({ clock, newId })

  async function make(connection: Connection): Promise<string> {
    const now = clock.now()
    const kid = newId(now)
    await addKey(connection, {
      id: kid,
      purpose: 'sign',
      sealed: sealer.seal(signingKey(kid)),
      createdAt: now,
    })
    const cookie = randomBytes(32).toString('base64url')
    await addKey(connection, {
      id: newId(now),
      purpose: 'cookie',
      sealed: sealer.seal(cookie),
      createdAt: now,
    })
    return kid
  }

  function opened(rows: readonly OauthKeyRow[]): OauthKeys {
    const plain = (purpose: OauthKeyRow['purpose']) =>
      rows.filter((row) => row.purpose === purpose).map(({ sealed }) => sealer.open(sealed))
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
      return database.write(async (connection) => {
        // Of several processes that start on an empty database, one makes the keys; the others wait for it here.
        if (await claimSetting(connection, 'oauth_keys', 'made')) await make(connection)
        return opened(await listKeys(connection))
      })
    },

    rotate: () =>
      database.write(async (connection) => {
        const before = await listKeys(connection)
        const now = clock.now()
        const kid = await make(connection)
        const outdated = PURPOSES.flatMap((purpose) => retirable(before, purpose, epochMs(now - KEEP_MS)))
        await removeKeys(connection, outdated)
        const retired = outdated.length / PURPOSES.length
        await audit(connection, { actor: 'operator', action: 'keys.rotate', detail: { kid, retired } })
        return { kid, retired }
      }),
  }
}

/** A key is done when its successor has been there for long enough, however old it is itself. */
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
