import { Problem } from '../kernel/errors.ts'
import type { EpochMs } from '../kernel/ids.ts'
import type { WalletPrincipal } from '../kernel/principal.ts'
import { DAY_MS, HOUR_MS } from '../kernel/time/spans.ts'
import { auditWrites, type WriteOperation } from '../store/audit/index.ts'
import type { Database, Tx } from '../store/database.ts'
import { clientsOf } from './accounts.ts'
import { endOld, findKey, type KeyRow, livingKeys, works } from './keys.ts'
import { type Rotated, type Rotating, rotate } from './secrets.ts'

/** For how long an old key works beside its successor. */
export const KEEP_MS = { PT0S: 0, PT1H: HOUR_MS, P1D: DAY_MS, P7D: 7 * DAY_MS } as const
export type KeepOldFor = keyof typeof KEEP_MS

/** A key as its account sees it. */
export type OwnKey = Omit<KeyRow, 'stored'>

/** Each old key that works is one more that may be stolen. */
const MOST_OLD = 3

/** The keys of the caller's account. */
export class OwnKeys {
  readonly #parts: Rotating & { database: Database }

  constructor(parts: Rotating & { database: Database }) {
    this.#parts = parts
  }

  /** Keys that still work: by kind, the current one first. */
  list(principal: WalletPrincipal): Promise<OwnKey[]> {
    const { database, clock } = this.#parts
    return database.read(async (tx) => {
      const { accountId } = principal
      const owners = await ownersOf(tx, principal)
      const keys = await livingKeys(tx, { accountId, owners }, clock.now())
      return keys.map(withoutSecret)
    })
  }

  /** Replaces a current key. A second call with the same one is refused, so it makes no second secret. */
  rotate(principal: WalletPrincipal, id: string, keep: KeepOldFor): Promise<Rotated> {
    const { database, clock } = this.#parts
    return database.write(async (tx) => {
      const now = clock.now()
      if (principal.withOldKey) throw withOldKey()
      const key = await ownKey(tx, principal, id)
      if (!key) throw new Problem('key_not_found', `This account has no key ${id.slice(0, 40)}.`)
      const rotated = await rotate(tx, this.#parts, key, KEEP_MS[keep])
      if (!rotated) throw notCurrent(key)
      const { accountId, kind, ownerId } = key
      const living = await livingKeys(tx, { accountId, owners: [ownerId] }, now)
      const old = living.filter((one) => one.kind === kind && one.endsAt > 0 && works(one, now))
      if (old.length > MOST_OLD) throw tooMany(kind)
      await this.#audit(tx, principal, 'rotateKey', key, now)
      return rotated
    })
  }

  /** Ends an old key now. False when the caller has no such old key that still works. */
  end(principal: WalletPrincipal, id: string): Promise<boolean> {
    const { database, clock } = this.#parts
    return database.write(async (tx) => {
      const now = clock.now()
      const key = await ownKey(tx, principal, id)
      if (!key || (await endOld(tx, key, now)) === 0) return false
      await this.#audit(tx, principal, 'endKey', key, now)
      return true
    })
  }

  #audit(
    tx: Tx,
    principal: WalletPrincipal,
    operation: WriteOperation,
    key: KeyRow,
    now: EpochMs,
  ): Promise<void> {
    const write = { principal, operation, outcome: 'done', about: `${key.kind} ${key.id}`, always: true }
    return auditWrites(tx, [write], now, this.#parts.newId)
  }
}

async function ownKey(tx: Tx, principal: WalletPrincipal, id: string): Promise<KeyRow | undefined> {
  const key = await findKey(tx, principal.accountId, id)
  return key && (await ownersOf(tx, principal)).includes(key.ownerId) ? key : undefined
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
