import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Sealer } from '../platform/secrets/sealing.ts'
import { cellOf } from './cell.ts'
import { lockForChange } from './change.ts'
import { endCurrent, insertKeys, type KeyKind, type KeyOwner, type KeyRow } from './keys.ts'
import { digestOf, newCallbackSecret, newClientSecret, newWalletToken } from './secrets.ts'

/** Called in the transaction that replaces a key, for those who hold a copy of its secret. */
export type OnRotated = (tx: Tx, replaced: KeyRow, secret: string) => Promise<void>

export interface KeyMakerParts {
  clock: Clock
  sealer: Sealer
  newId(now: EpochMs): string
}

export interface RotateParts extends KeyMakerParts {
  onRotated: OnRotated
}

/** A new secret, shown once, and when the old one ends. */
export interface Rotated {
  key: KeyRow
  secret: string
  previousUntil: EpochMs
}

/** Replaces a current key. Undefined when it is not current any more. */
export type Rotate = (tx: Tx, current: KeyRow, keepMs: number) => Promise<Rotated | undefined>

const NEW_SECRET = { client: newClientSecret, wallet: newWalletToken, callback: newCallbackSecret }
/** How many last characters of a secret people see again, to tell two apart. */
const ENDING = 4

export function newSecret(kind: KeyKind, cell: string): string {
  return NEW_SECRET[kind](cell)
}

/** The row of a new current key. A callback secret is sealed, because the gateway signs with it. */
export async function newKey(
  tx: Tx,
  owner: KeyOwner,
  secret: string,
  { clock, sealer, newId }: KeyMakerParts,
): Promise<KeyRow> {
  const now = clock.now()
  const { accountId, kind, ownerId } = owner
  const id = newId(now)
  const stored =
    kind === 'callback' ? await sealer.seal(tx, secret, { table: 'keys', key: id }) : digestOf(secret)
  const ending = secret.slice(-ENDING)
  return { id, accountId, kind, ownerId, stored, ending, createdAt: now, usedAt: 0, endsAt: 0 }
}

export function createRotate(parts: RotateParts): Rotate {
  return async (tx, current, keepMs) => {
    await lockForChange(tx, current.accountId)
    const previousUntil = epochMs(parts.clock.now() + keepMs)
    if (!(await endCurrent(tx, current.id, keepMs > 0 ? previousUntil : undefined))) return undefined
    const secret = newSecret(current.kind, await cellOf(tx))
    const key = await newKey(tx, current, secret, parts)
    await insertKeys(tx, [key])
    await parts.onRotated(tx, current, secret)
    return { key, secret, previousUntil }
  }
}
