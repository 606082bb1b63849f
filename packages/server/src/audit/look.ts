import { and, desc, eq, gte, sql } from 'drizzle-orm'
import { type EpochMs, firstTicketAt } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Tables } from '../platform/database/schema.ts'

export type AuditRow = Tables['audit']['$inferSelect']

/** An entry must match all conditions. */
export interface AuditFilter {
  accountId: string | undefined
  since: EpochMs | undefined
  /** The beginning of the action: `wallet` finds `wallet.credit` as well. */
  action: string | undefined
}

/** The newest entries, newest first. */
export function readAudit(
  { db, t }: Tx,
  { accountId, since, action }: AuditFilter,
  limit: number,
): Promise<AuditRow[]> {
  const { audit } = t
  return db
    .select()
    .from(audit)
    .where(
      and(
        accountId === undefined ? undefined : eq(audit.accountId, accountId),
        since === undefined ? undefined : gte(audit.id, firstTicketAt(since)),
        action === undefined ? undefined : sql`substr(${audit.action}, 1, ${action.length}) = ${action}`,
      ),
    )
    .orderBy(desc(audit.id))
    .limit(limit)
}
