import { randomBytes } from 'node:crypto'
import type { Parts } from '../flow/parts.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Tx } from '../store/database.ts'
import type { Sealer } from '../store/secrets/sealing.ts'
import { digestOf } from '../store/secrets/tokens.ts'
import { cellName } from './cell-name.ts'
import { lockForChange } from './change.ts'
import { endCurrent, insertKeys, type KeyKind, type KeyOwner, type KeyRow } from './keys.ts'

export { digestOf } from '../store/secrets/tokens.ts'

/** Called in the transaction that replaces a key, for those who hold a copy of its secret. */
export type OnRotated = (tx: Tx, replaced: KeyRow, secret: string) => Promise<void>

/** Parts of making a key. */
type KeyMaking = Pick<Parts, 'clock' | 'newId'> & { sealer: Sealer }

/** Parts of replacing a key. */
export type Rotating = KeyMaking & { onRotated: OnRotated }

/** A new secret, shown once, and when the old one ends. */
export interface Rotated {
  key: KeyRow
  secret: string
  previousUntil: EpochMs
}

/** Replaces a current key. Undefined when it is not current any more. */
export async function rotate(
  tx: Tx,
  parts: Rotating,
  current: KeyRow,
  keepMs: number,
): Promise<Rotated | undefined> {
  await lockForChange(tx, current.accountId)
  const previousUntil = epochMs(parts.clock.now() + keepMs)
  if (!(await endCurrent(tx, current.id, keepMs > 0 ? previousUntil : undefined))) return undefined
  const secret = newSecret(current.kind, await cellName(tx))
  const key = await newKey(tx, current, secret, parts)
  await insertKeys(tx, [key])
  await parts.onRotated(tx, current, secret)
  return { key, secret, previousUntil }
}

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
  { clock, sealer, newId }: KeyMaking,
): Promise<KeyRow> {
  const now = clock.now()
  const { accountId, kind, ownerId } = owner
  const id = newId(now)
  const stored =
    kind === 'callback' ? await sealer.seal(tx, secret, { table: 'keys', key: id }) : digestOf(secret)
  const ending = secret.slice(-ENDING)
  return { id, accountId, kind, ownerId, stored, ending, createdAt: now, usedAt: 0, endsAt: 0 }
}

function newClientSecret(): string {
  return `ws_${randomText(32)}`
}

function newWalletToken(cell: string): string {
  return `wt_${inCell(cell)}${randomText(32)}`
}

export function newClientId(cell: string): string {
  return `wc_${inCell(cell)}${randomText(12)}`
}

/** No random text has a full stop, so the name of a cell ends there. */
function inCell(cell: string): string {
  return cell === '' ? '' : `${cell}.`
}

/** A secret to sign callbacks with, in the form of Standard Webhooks. */
function newCallbackSecret(): string {
  return `whsec_${randomBytes(24).toString('base64')}`
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64url')
}
