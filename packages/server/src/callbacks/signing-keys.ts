import { callbackKeys, type KeyUses } from '../accounts/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'

const CACHE_MS = 1_000

export interface CallbackSecretsOptions {
  database: Database
  clock: Clock
  sealer: Sealer
  uses: Pick<KeyUses, 'note'>
}

/**
 * Looks up the secrets that sign an account's callbacks: the current one, and those it replaced a while ago. Cached
 * briefly. Callbacks that need them while they are being read share that read.
 */
export function createCallbackSecrets({ database, clock, sealer, uses }: CallbackSecretsOptions) {
  const known = new Map<string, { until: number; secrets: string[] }>()
  const reading = new Map<string, Promise<string[]>>()

  async function read(accountId: string): Promise<string[]> {
    const until = clock.elapsed() + CACHE_MS
    const keys = await database.read((tx) => callbackKeys(tx, accountId, clock.now()))
    if (keys.length === 0) throw new Error(`there is no account ${accountId}`)
    for (const key of keys) uses.note(key)
    const secrets = keys.map(({ id, stored }) => sealer.open(stored, { table: 'keys', key: id }))
    known.set(accountId, { until, secrets })
    return secrets
  }

  return async function secretsOf(accountId: string): Promise<string[]> {
    const hit = known.get(accountId)
    if (hit && hit.until > clock.elapsed()) return hit.secrets
    const shared = reading.get(accountId) ?? read(accountId).finally(() => reading.delete(accountId))
    reading.set(accountId, shared)
    return shared
  }
}
