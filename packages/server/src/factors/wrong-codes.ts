import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { OwnerKind } from '../platform/database/schema.ts'
import { writeSetting } from '../platform/database/settings.ts'
import { deleteSlice } from '../platform/database/slices.ts'
import { digestOf } from '../platform/secrets/digest.ts'

/** Of a million codes five are right about now, so guessing one takes years. */
const MOST = 5
const WITHIN_MS = 15 * 60_000

/** Whose code somebody tries, by the name that was typed, which need not be anybody's. */
export interface Typed {
  kind: OwnerKind
  name: string
}

/** Locks one row that all who check codes share until the transaction ends: counting is serial across processes. */
export function takeCodeTurn(tx: Tx): Promise<void> {
  return writeSetting(tx, 'code_turn', '')
}

/** When another code may be tried; undefined for now. */
export async function lockedUntil({ run }: Tx, typed: Typed, now: EpochMs): Promise<EpochMs | undefined> {
  const rows = await run<{ at: EpochMs }>(
    `SELECT at FROM wrong_codes WHERE owner_kind = $1 AND name_hash = $2 AND at > $3 ORDER BY at DESC LIMIT ${MOST}`,
    [typed.kind, hashOf(typed), now - WITHIN_MS],
  )
  const first = rows[MOST - 1]
  return first && epochMs(first.at + WITHIN_MS)
}

export function countWrong(tx: Tx, typed: Typed, { id, now }: { id: string; now: EpochMs }): Promise<void> {
  return insertRows(tx, tx.t.wrongCodes, [{ id, ownerKind: typed.kind, nameHash: hashOf(typed), at: now }])
}

export async function clearWrong({ run }: Tx, typed: Typed): Promise<void> {
  await run('DELETE FROM wrong_codes WHERE owner_kind = $1 AND name_hash = $2', [typed.kind, hashOf(typed)])
}

/** Deletes a slice of those that no longer count. Returns whether there may be more. */
export function pruneWrongCodes(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    ...{ table: 'wrong_codes', key: 'id', where: 'at <= $1', values: [now - WITHIN_MS], orderBy: 'at' },
  })
}

function hashOf({ name }: Typed): string {
  return digestOf(name.trim().toLowerCase())
}
