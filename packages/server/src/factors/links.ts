import { randomBytes } from 'node:crypto'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import { insertRows } from '../platform/database/rows.ts'
import type { OwnerKind } from '../platform/database/schema.ts'
import { deleteSlice } from '../platform/database/slices.ts'
import { digestOf } from '../platform/secrets/digest.ts'
import { isOf, type Owner } from './owner.ts'

const LINK_MS = 3_600_000

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

export async function endLinks({ db, t }: Tx, owner: Owner): Promise<void> {
  await db.delete(t.oneTimeLinks).where(isOf(t.oneTimeLinks, owner))
}

/** Deletes a slice of the links that are no longer good. Returns whether there may be more. */
export function pruneLinks(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    ...{ table: 'one_time_links', key: 'secret_hash', where: 'expires_at <= $1' },
    ...{ values: [now], orderBy: 'expires_at' },
  })
}
