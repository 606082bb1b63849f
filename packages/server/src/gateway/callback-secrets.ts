import type { Clock } from '../clock.ts'
import { findAccount } from '../store/accounts.ts'
import type { Database } from '../store/database.ts'
import type { Sealer } from '../store/sealing.ts'

/** How long the previous secret goes on signing beside the new one. */
export const ROTATION_MS = 24 * 3_600_000
const CACHE_MS = 1_000

/** The secrets that an account's callbacks are signed with: one, or two while the receiver learns the new one. */
export function createCallbackSecrets(database: Database, clock: Clock, sealer: Sealer) {
  const known = new Map<string, { until: number; secrets: string[] }>()

  return async function secretsOf(accountId: string): Promise<string[]> {
    const elapsed = clock.elapsed()
    const hit = known.get(accountId)
    if (hit && hit.until > elapsed) return hit.secrets
    const account = await database.read((connection) => findAccount(connection, accountId))
    if (!account) throw new Error(`there is no account ${accountId}`)
    const { callbackSecret, callbackSecretPrevious, callbackSecretRotatedAt } = account
    const rotating = callbackSecretPrevious !== null && clock.now() - callbackSecretRotatedAt < ROTATION_MS
    const sealed = rotating ? [callbackSecret, callbackSecretPrevious] : [callbackSecret]
    const secrets = sealed.map((secret) => sealer.open(secret))
    known.set(accountId, { until: elapsed + CACHE_MS, secrets })
    return secrets
  }
}
