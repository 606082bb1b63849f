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

/** Looks up the secrets that sign an account's callbacks: the current one, and those it replaced a while ago. Cached briefly. */
export function createCallbackSecrets({ database, clock, sealer, uses }: CallbackSecretsOptions) {
  const known = new Map<string, { until: number; secrets: string[] }>()

  return async function secretsOf(accountId: string): Promise<string[]> {
    const elapsed = clock.elapsed()
    const hit = known.get(accountId)
    if (hit && hit.until > elapsed) return hit.secrets
    const keys = await database.read((tx) => callbackKeys(tx, accountId, clock.now()))
    if (keys.length === 0) throw new Error(`there is no account ${accountId}`)
    for (const key of keys) uses.note(key)
    const secrets = keys.map(({ stored }) => sealer.open(stored))
    known.set(accountId, { until: elapsed + CACHE_MS, secrets })
    return secrets
  }
}
