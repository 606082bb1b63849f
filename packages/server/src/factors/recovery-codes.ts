import { randomBytes } from 'node:crypto'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import { digestOf } from '../platform/secrets/digest.ts'
import { isOf, type Owner } from './owner.ts'

const CODES = 10
/** Crockford's base 32: no letters that look alike, and a random byte picks each one equally often. */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz'
/** 80 bits, so that the digest of one can't be searched for. */
const LENGTH = 16

/** New codes for an owner, in place of all that were there. They are shown once. */
export async function makeRecoveryCodes(tx: Tx, owner: Owner, now: EpochMs): Promise<string[]> {
  const { db, t } = tx
  await db.delete(t.recoveryCodes).where(isOf(t.recoveryCodes, owner))
  const codes = Array.from({ length: CODES }, newCode)
  const rows = codes.map((code) => ({
    codeHash: digestOf(plain(code)),
    ownerKind: owner.kind,
    ownerId: owner.id,
    createdAt: now,
    usedAt: 0,
  }))
  await insertRows(tx, t.recoveryCodes, rows)
  return codes
}

/** Uses a code up. True for exactly one of several concurrent callers. */
export async function useRecoveryCode(
  { run }: Tx,
  owner: Owner,
  code: string,
  now: EpochMs,
): Promise<boolean> {
  const used = await run(
    `UPDATE recovery_codes SET used_at = $1
     WHERE code_hash = $2 AND owner_kind = $3 AND owner_id = $4 AND used_at = 0 RETURNING code_hash`,
    [now, digestOf(plain(code)), owner.kind, owner.id],
  )
  return used.length > 0
}

function newCode(): string {
  const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS.charAt(byte % 32)).join('')
  return letters.replace(/.{4}(?=.)/g, '$&-')
}

/** People may leave out the hyphens, and read a letter as a digit. */
function plain(code: string): string {
  return code
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
}
