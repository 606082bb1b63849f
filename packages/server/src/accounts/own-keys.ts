import { auditWrites } from '../audit/index.ts'
import { Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { clientsOf } from './accounts.ts'
import { endOld, findKey, type KeyRow, livingKeys, works } from './keys.ts'
import { createRotate, type Rotated, type RotateParts } from './rotate.ts'

/** For how long an old key works beside its successor. */
export const KEEP_MS = { PT0S: 0, PT1H: 3_600_000, P1D: 86_400_000, P7D: 604_800_000 } as const
export type KeepOldFor = keyof typeof KEEP_MS

/** A key as its account sees it. */
export type OwnKey = Omit<KeyRow, 'stored'>

/** What a caller does with the keys of its account. */
export interface OwnKeys {
  /** Those that still work: by kind, the current one first. */
  list(principal: WalletPrincipal): Promise<OwnKey[]>
  /** Replaces a current key. A second call with the same one is refused, so it makes no second secret. */
  rotate(principal: WalletPrincipal, id: string, keep: KeepOldFor): Promise<Rotated>
  /** Ends an old key now. False when the caller has no such old key that still works. */
  end(principal: WalletPrincipal, id: string): Promise<boolean>
}

export interface OwnKeysParts extends RotateParts {
  database: Database
}

/** Each old key that works is one more that may be stolen. */
const MOST_OLD = 3

export function createOwnKeys(parts: OwnKeysParts): OwnKeys {
  const { database, clock, newId } = parts
  const rotateIn = createRotate(parts)

  async function ownKey(tx: Tx, principal: WalletPrincipal, id: string): Promise<KeyRow | undefined> {
    const key = await findKey(tx, principal.accountId, id)
    return key && (await ownersOf(tx, principal)).includes(key.ownerId) ? key : undefined
  }

  function audited(tx: Tx, principal: WalletPrincipal, operation: string, key: KeyRow, now: EpochMs) {
    const write = { principal, operation, outcome: 'done', about: `${key.kind} ${key.id}`, always: true }
    return auditWrites(tx, [write], now, newId)
  }

  return {
    list: (principal) =>
      database.read(async (tx) => {
        const { accountId } = principal
        const owners = await ownersOf(tx, principal)
        const keys = await livingKeys(tx, { accountId, owners }, clock.now())
        return keys.map(withoutSecret)
      }),

    rotate: (principal, id, keep) =>
      database.write(async (tx) => {
        const now = clock.now()
        if (principal.withOldKey) throw withOldKey()
        const key = await ownKey(tx, principal, id)
        if (!key) throw new Problem('key_not_found', `This account has no key ${id.slice(0, 40)}.`)
        const rotated = await rotateIn(tx, key, KEEP_MS[keep])
        if (!rotated) throw notCurrent(key)
        const { accountId, kind, ownerId } = key
        const living = await livingKeys(tx, { accountId, owners: [ownerId] }, now)
        const old = living.filter((one) => one.kind === kind && one.endsAt > 0 && works(one, now))
        if (old.length > MOST_OLD) throw tooMany(kind)
        await audited(tx, principal, 'rotateKey', key, now)
        return rotated
      }),

    end: (principal, id) =>
      database.write(async (tx) => {
        const now = clock.now()
        const key = await ownKey(tx, principal, id)
        if (!key || (await endOld(tx, key, now)) === 0) return false
        await audited(tx, principal, 'endKey', key, now)
        return true
      }),
  }
}

export function withoutSecret({ stored: _, ...key }: KeyRow): OwnKey {
  return key
}

/** A key is replaced because it may be known to others: they must not make the next one with it. */
function withOldKey(): Problem {
  return new Problem('key_not_current', 'Expected a call with the current keys; these are being replaced.')
}

/** Whose keys a caller may see: a program its own client's, a person all clients', and both those of their wallet. */
async function ownersOf(tx: Tx, { accountId, clientId, wallet, person }: WalletPrincipal): Promise<string[]> {
  const clients = person === undefined ? [clientId] : (await clientsOf(tx, accountId)).map(({ id }) => id)
  return [...clients, wallet.id, accountId]
}

function notCurrent({ id }: KeyRow): Problem {
  return new Problem(
    'key_not_current',
    `The key ${id} was replaced already: list the keys to find the current one.`,
  )
}

function tooMany(kind: string): Problem {
  const detail = `Expected at most ${MOST_OLD} old ${kind} keys that still work: wait until one ends, or end one at once.`
  return new Problem('too_many', detail)
}
