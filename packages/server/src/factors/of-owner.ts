import { and, asc, eq } from 'drizzle-orm'
import type { EpochMs } from '../domain/ids.ts'
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

/** Whether an owner has a passkey or a code generator. Recovery codes alone are no factor. */
export async function hasFactor({ run }: Tx, { kind, id }: Owner): Promise<boolean> {
  const found = await run(
    `SELECT 1 AS there FROM passkeys WHERE owner_kind = $1 AND owner_id = $2
     UNION ALL SELECT 1 AS there FROM code_generators WHERE owner_kind = $3 AND owner_id = $4 LIMIT 1`,
    [kind, id, kind, id],
  )
  return found.length > 0
}

/** What an owner can sign in with, as they see it. */
export interface Factors {
  passkeys: { id: string; name: string; createdAt: EpochMs; usedAt: number }[]
  /** Since when there is a code generator. */
  generatorSince: EpochMs | undefined
  /** How many were not used. */
  recoveryCodes: number
}

export async function factorsOf(tx: Tx, owner: Owner): Promise<Factors> {
  const { passkeys, codeGenerators, recoveryCodes } = tx.t
  const [generator] = await tx.db.select().from(codeGenerators).where(isOf(codeGenerators, owner))
  const codes = await tx.db
    .select({ usedAt: recoveryCodes.usedAt })
    .from(recoveryCodes)
    .where(and(isOf(recoveryCodes, owner), eq(recoveryCodes.usedAt, 0)))
  const { id, name, createdAt, usedAt } = passkeys
  return {
    passkeys: await tx.db
      .select({ id, name, createdAt, usedAt })
      .from(passkeys)
      .where(isOf(passkeys, owner))
      .orderBy(asc(createdAt), asc(id)),
    generatorSince: generator?.createdAt,
    recoveryCodes: codes.length,
  }
}

/** True if the owner had it. */
export async function removePasskey({ db, t }: Tx, owner: Owner, id: string): Promise<boolean> {
  const mine = and(isOf(t.passkeys, owner), eq(t.passkeys.id, id))
  const gone = await db.delete(t.passkeys).where(mine).returning({ id: t.passkeys.id })
  return gone.length > 0
}

export async function renamePasskey({ db, t }: Tx, owner: Owner, id: string, name: string): Promise<void> {
  await db
    .update(t.passkeys)
    .set({ name })
    .where(and(isOf(t.passkeys, owner), eq(t.passkeys.id, id)))
}

export async function removeGenerator({ db, t }: Tx, owner: Owner): Promise<boolean> {
  const gone = await db
    .delete(t.codeGenerators)
    .where(isOf(t.codeGenerators, owner))
    .returning({ id: t.codeGenerators.id })
  return gone.length > 0
}
