import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { OwnerKind } from '../platform/database/schema.ts'
import { writeSetting } from '../platform/database/settings.ts'
import { deleteSlice } from '../platform/database/slices.ts'
import { digestOf } from '../platform/secrets/digest.ts'
import type { Owner } from './owner.ts'

/** So many are mistyped. Each further one is waited for twice as long. */
const MISTYPED = 5
const FIRST_WAIT_MS = 15 * 60_000
/** A wrong code counts for a day, so no wait is longer. */
const DAY_MS = 24 * 3_600_000
/**
 * For one name from wherever, and from one network for whatever names. Of a million codes three are right about now: so
 * many guesses a day find one in years.
 */
const MOST_A_DAY = 50

/** Whose code somebody tries, and from where. */
export interface Guess {
  kind: OwnerKind
  /** Undefined when nobody has the name. */
  owner: Owner | undefined
  name: string
  /** Undefined where only the name counts, because a stranger can't get so far. */
  network?: string
}

/** Locks one row that all who check codes share until the transaction ends: counting is serial across processes. */
export function takeCodeTurn(tx: Tx): Promise<void> {
  return writeSetting(tx, 'code_turn', '')
}

/** When another code may be tried; undefined for now. */
export async function lockedUntil({ run }: Tx, guess: Guess, now: EpochMs): Promise<EpochMs | undefined> {
  const { network = '' } = guess
  const nameHash = hashOf(guess)
  const rows = await run<{ at: EpochMs; nameHash: string; network: string }>(
    `SELECT at, name_hash AS "nameHash", network FROM wrong_codes
     WHERE owner_kind = $1 AND at > $2 AND (name_hash = $3 OR (network = $4 AND network <> '')) ORDER BY at DESC`,
    [guess.kind, now - DAY_MS, nameHash, network],
  )
  const ofName = rows.filter((row) => row.nameHash === nameHash)
  const fromNetwork = rows.filter((row) => row.network === network)
  const here = ofName.filter((row) => row.network === network)
  const until = Math.max(waitAfter(here), fullUntil(ofName), network === '' ? 0 : fullUntil(fromNetwork))
  return until > now ? epochMs(until) : undefined
}

/** After wrong codes for a name from one network, the newest first. */
function waitAfter(wrong: readonly { at: EpochMs }[]): number {
  const [newest] = wrong
  if (!newest || wrong.length < MISTYPED) return 0
  return newest.at + Math.min(DAY_MS, FIRST_WAIT_MS * 2 ** (wrong.length - MISTYPED))
}

function fullUntil(wrong: readonly { at: EpochMs }[]): number {
  const first = wrong[MOST_A_DAY - 1]
  return first ? first.at + DAY_MS : 0
}

export function countWrong(tx: Tx, guess: Guess, { id, now }: { id: string; now: EpochMs }): Promise<void> {
  const { kind: ownerKind, network = '' } = guess
  return insertRows(tx, tx.t.wrongCodes, [{ id, ownerKind, nameHash: hashOf(guess), at: now, network }])
}

/** After a right code. Wrong ones from other networks still count. */
export async function clearWrong({ run }: Tx, guess: Guess): Promise<void> {
  await run('DELETE FROM wrong_codes WHERE owner_kind = $1 AND name_hash = $2 AND network = $3', [
    guess.kind,
    hashOf(guess),
    guess.network ?? '',
  ])
}

/** Deletes a slice of those that no longer count. Returns whether there may be more. */
export function pruneWrongCodes(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    ...{ table: 'wrong_codes', key: 'id', where: 'at <= $1', values: [now - DAY_MS], orderBy: 'at' },
  })
}

/** An owner is counted as such, however their name was typed. */
function hashOf({ owner, name }: Guess): string {
  return digestOf(owner ? `id:${owner.id}` : `name:${name.replaceAll('\0', '').trim().toLowerCase()}`)
}
