import { randomBytes } from 'node:crypto'
import { and, asc, eq, type SQL } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { HOUR_MS } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
import { insertRows } from '../../store/rows.ts'
import type { OwnerKind } from '../../store/schema/schema.ts'
import { digestOf } from '../../store/secrets/tokens.ts'
import { deleteSlice } from '../../store/slices.ts'

/** Whose a passkey or a code is. */
export interface Owner {
  kind: OwnerKind
  id: string
}

/** The rows of an owner. */
export function isOf(
  table: { ownerKind: PgColumn; ownerId: PgColumn },
  { kind, id }: Owner,
): SQL | undefined {
  return and(eq(table.ownerKind, kind), eq(table.ownerId, id))
}

/** Counts of an owner's ways to sign in. */
export interface FactorCount {
  passkeys: number
  hasGenerator: boolean
  recoveryCodes: number
}

/** Counts the ways to sign in of each owner of a kind, by the owner's id. */
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

/** An owner's ways to sign in, as they see them. */
export interface Factors {
  passkeys: { id: string; name: string; createdAt: EpochMs; usedAt: number }[]
  /** Since when there is a code generator. */
  generatorSince: EpochMs | undefined
  /** The unused ones. */
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

const LINK_MS = HOUR_MS

/** A link's secret, in place of all that the owner had. It is good once, and for an hour. */
export async function makeLink(tx: Tx, owner: Owner, now: EpochMs): Promise<string> {
  const secret = `wl_${randomBytes(32).toString('base64url')}`
  await endLinks(tx, owner)
  const link = { secretHash: digestOf(secret), ownerKind: owner.kind, ownerId: owner.id }
  await insertRows(tx, tx.t.oneTimeLinks, [{ ...link, createdAt: now, expiresAt: epochMs(now + LINK_MS) }])
  return secret
}

/** Whose link it is, as long as it is good. */
export async function ownerOfLink({ run }: Tx, secret: string, now: EpochMs): Promise<Owner | undefined> {
  const [owner] = await run<{ kind: OwnerKind; id: string }>(
    `SELECT owner_kind AS kind, owner_id AS id FROM one_time_links WHERE secret_hash = $1 AND expires_at > $2`,
    [digestOf(secret), now],
  )
  return owner
}

/** Uses a link up. Its owner for exactly one of several concurrent callers. */
export async function useLink({ run }: Tx, secret: string, now: EpochMs): Promise<Owner | undefined> {
  const [owner] = await run<{ kind: OwnerKind; id: string }>(
    `DELETE FROM one_time_links WHERE secret_hash = $1 AND expires_at > $2
     RETURNING owner_kind AS kind, owner_id AS id`,
    [digestOf(secret), now],
  )
  return owner
}

async function endLinks({ db, t }: Tx, owner: Owner): Promise<void> {
  await db.delete(t.oneTimeLinks).where(isOf(t.oneTimeLinks, owner))
}

/** Deletes a slice of the links that are no longer good. Returns whether there may be more. */
export function pruneLinks(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'one_time_links',
    key: 'secret_hash',
    where: 'expires_at <= $1',
    values: [now],
    orderBy: 'expires_at',
  })
}
