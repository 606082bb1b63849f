import type { Tx } from '../platform/database/database.ts'
import { endLinks } from './links.ts'
import { isOf, type Owner } from './owner.ts'

/** What an owner can sign in with. */
export interface FactorCount {
  passkeys: number
  hasGenerator: boolean
  recoveryCodes: number
}

/** Counts what each owner of a kind can sign in with, by the owner's id. */
export async function countFactors({ run }: Tx, kind: Owner['kind']): Promise<Map<string, FactorCount>> {
  const rows = await run<{ what: 'passkey' | 'generator' | 'recovery'; id: string; count: number }>(
    `SELECT 'passkey' AS what, owner_id AS id, count(*) AS count FROM passkeys WHERE owner_kind = $1 GROUP BY owner_id
     UNION ALL SELECT 'generator' AS what, owner_id AS id, count(*) AS count FROM code_generators
       WHERE owner_kind = $2 GROUP BY owner_id
     UNION ALL SELECT 'recovery' AS what, owner_id AS id, count(*) AS count FROM recovery_codes
       WHERE owner_kind = $3 AND used_at = 0 GROUP BY owner_id`,
    [kind, kind, kind],
  )
  const counts = new Map<string, FactorCount>()
  for (const { what, id, count } of rows) {
    const found = counts.get(id) ?? { passkeys: 0, hasGenerator: false, recoveryCodes: 0 }
    if (what === 'passkey') found.passkeys = count
    else if (what === 'generator') found.hasGenerator = true
    else found.recoveryCodes = count
    counts.set(id, found)
  }
  return counts
}

/** Removes everything that an owner could sign in with. */
export async function forgetFactors(tx: Tx, owner: Owner): Promise<void> {
  const { db, t } = tx
  await db.delete(t.passkeys).where(isOf(t.passkeys, owner))
  await db.delete(t.codeGenerators).where(isOf(t.codeGenerators, owner))
  await db.delete(t.recoveryCodes).where(isOf(t.recoveryCodes, owner))
  await endLinks(tx, owner)
}
