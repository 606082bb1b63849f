import { eq, inArray } from 'drizzle-orm'
import type { Tx } from '../platform/database/database.ts'
import { forgetSchedulers } from '../sending/index.ts'
import { removeGrant } from './connection-rows.ts'

/** Deletes an account's connections with their tokens, and what they and its clients noted of their sends. */
export async function forgetConnections(
  tx: Tx,
  accountId: string,
  clientIds: readonly string[],
): Promise<void> {
  const { db, t } = tx
  const rows = await db.select().from(t.connections).where(eq(t.connections.accountId, accountId))
  const ids = rows.map(({ id }) => id)
  for (const { grantId } of rows) await removeGrant(tx, grantId)
  const owners = [...ids, ...clientIds]
  if (owners.length > 0) {
    await db.delete(t.connectorSends).where(inArray(t.connectorSends.clientId, owners))
    await db.delete(t.connectorDays).where(inArray(t.connectorDays.clientId, owners))
  }
  if (ids.length === 0) return
  await forgetSchedulers(tx, ids)
  await db.delete(t.delegatedTokens).where(inArray(t.delegatedTokens.connectionId, ids))
  await db.delete(t.connections).where(inArray(t.connections.id, ids))
}
