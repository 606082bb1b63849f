import type { KeyObject } from 'node:crypto'
import { callbackKeys, type KeyUses } from '../accounts/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import { signingKey } from './payload.ts'

const CACHE_MS = 1_000

export interface SigningKeysOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  uses: Pick<KeyUses, 'note'>
}

/**
 * Looks up the keys that sign an account's callbacks: of the current secret, and of those it replaced a while ago. Cached
 * briefly. Callbacks that need them while they are being read share that read.
 */
export function createSigningKeys({ database, clock, sealer, uses }: SigningKeysOptions) {
  const known = new Map<string, { until: number; keys: KeyObject[] }>()
  const reading = new Map<string, Promise<KeyObject[]>>()

  async function read(accountId: string): Promise<KeyObject[]> {
    const until = clock.elapsed() + CACHE_MS
    const secrets = await database.read((tx) => callbackKeys(tx, accountId, clock.now()))
    if (secrets.length === 0) throw new Error(`there is no account ${accountId}`)
    for (const secret of secrets) uses.note(secret)
    const keys = secrets.map(({ id, stored }) => signingKey(sealer.open(stored, { table: 'keys', key: id })))
    known.set(accountId, { until, keys })
    return keys
  }

  return async function keysOf(accountId: string): Promise<KeyObject[]> {
    const hit = known.get(accountId)
    if (hit && hit.until > clock.elapsed()) return hit.keys
    const shared = reading.get(accountId) ?? read(accountId).finally(() => reading.delete(accountId))
    reading.set(accountId, shared)
    return shared
  }
}
