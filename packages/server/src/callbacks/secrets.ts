import { type ChangeAccount, findAccount, newCallbackSecret, setCallbackSecret } from '../accounts/index.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'

/** How long the previous secret still signs alongside the new one. */
const ROTATION_MS = 24 * 3_600_000
const CACHE_MS = 1_000

/** Looks up the secrets that sign an account's callbacks: one, or two for a day after a rotation. Cached briefly. */
export function createCallbackSecrets(database: Database, clock: Clock, sealer: Sealer) {
  const known = new Map<string, { until: number; secrets: string[] }>()

  return async function secretsOf(accountId: string): Promise<string[]> {
    const elapsed = clock.elapsed()
    const hit = known.get(accountId)
    if (hit && hit.until > elapsed) return hit.secrets
    const account = await database.read((tx) => findAccount(tx, accountId))
    if (!account) throw new Error(`there is no account ${accountId}`)
    const { callbackSecret, callbackSecretPrevious, callbackSecretRotatedAt } = account
    const rotating = callbackSecretPrevious !== null && clock.now() - callbackSecretRotatedAt < ROTATION_MS
    const sealed = rotating ? [callbackSecret, callbackSecretPrevious] : [callbackSecret]
    const secrets = sealed.map((secret) => sealer.open(secret))
    known.set(accountId, { until: elapsed + CACHE_MS, secrets })
    return secrets
  }
}

/** Gives an account a new signing secret. The previous one still signs alongside it until `previousUntil`. */
export type RotateCallbackSecret = (
  account: string,
) => Promise<{ callbackSecret: string; previousUntil: EpochMs }>

export function createRotateCallbackSecret({
  change,
  clock,
  sealer,
}: {
  change: ChangeAccount
  clock: Clock
  sealer: Sealer
}): RotateCallbackSecret {
  return (idOrEmail) =>
    change('account.rotate-callback-secret', idOrEmail, {}, async (tx, account) => {
      const callbackSecret = newCallbackSecret()
      const now = clock.now()
      await setCallbackSecret(tx, account, sealer.seal(callbackSecret), now)
      return { callbackSecret, previousUntil: epochMs(now + ROTATION_MS) }
    })
}
