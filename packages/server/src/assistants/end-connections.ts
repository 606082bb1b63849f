import { eq, inArray } from 'drizzle-orm'
import type { EpochMs } from '../kernel/ids.ts'
import { HOUR_MS } from '../kernel/time/spans.ts'
import { forgetSchedulers } from '../messages/sending/index.ts'
import { type AuditOptions, createAudit } from '../store/audit/index.ts'
import type { Tx } from '../store/database.ts'
import { deleteSlice } from '../store/slices.ts'
import {
  activeOfPerson,
  type ConnectionRow,
  endConnection,
  removeGrant,
  type Which,
} from './connection-rows.ts'

/** Every way of ending a connection goes through here, so that its tokens and records end with it. */
export async function endWithTokens(tx: Tx, which: Which, now: EpochMs): Promise<ConnectionRow | undefined> {
  const ended = await endConnection(tx, which, now)
  if (!ended) return undefined
  await tx.db.delete(tx.t.delegatedTokens).where(eq(tx.t.delegatedTokens.connectionId, ended.id))
  await removeGrant(tx, ended.grantId)
  return ended
}

/** Ends the active connections that a person made, in one account or in all, each with an audit row. Returns their ids. */
export async function endOfPerson(
  parts: AuditOptions,
  tx: Tx,
  of: { accountId?: string; personId: string },
  reason: string,
): Promise<string[]> {
  const active = await activeOfPerson(tx, of)
  for (const which of active) await endWithTokens(tx, which, parts.clock.now())
  const entry = { actor: 'gateway', action: 'connection.end' } as const
  await createAudit(parts)(
    tx,
    ...active.map(({ id, accountId }) => ({ ...entry, accountId, detail: { connection: id, reason } })),
  )
  return active.map(({ id }) => id)
}

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

/** Limits and keys cover today and yesterday; two hours more, so that nothing is missed at the edge. */
const KEEP_MS = 50 * HOUR_MS

/**
 * Deletes a slice of the sends that no limit counts any more. Returns whether there may be more. Not in `mcp/journal.ts`,
 * which would load the `@wigwag/mcp` package for it.
 */
export function pruneJournal(tx: Tx, now: EpochMs): Promise<boolean> {
  return deleteSlice(tx, {
    table: 'connector_sends',
    key: 'id',
    where: 'at < $1',
    values: [now - KEEP_MS],
    orderBy: 'at',
  })
}
