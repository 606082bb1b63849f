import { and, desc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { type EpochMs, firstTicketAt } from '../../kernel/ids.ts'
import type { Tx } from '../database.ts'
import type { Tables } from '../schema/schema.ts'

/**
 * An audited action, or a count of refusals or failures within an hour, which has no id and the time of the last one.
 */
export interface AuditRow {
  id: string | null
  at: EpochMs
  actor: string
  action: string
  accountId: string | null
  detail: Record<string, unknown>
}

/** An entry must match all conditions. */
export interface AuditFilter {
  accountId: string | undefined
  since: EpochMs | undefined
  /** The first moment after them. */
  until?: EpochMs | undefined
  /** The beginning of the action: `wallet` finds `wallet.credit` as well. */
  action: string | undefined
  /** The beginning of who did it. A count of failures has one in its detail alone, and is left out. */
  actor?: string | undefined
}

/** Details that name a carrier, or what it calls a message. */
const OF_CARRIERS = ['carrier', 'carrierReference']

/** An entry's detail for a customer, who doesn't read the carrier unless the operator wants that. */
export function withoutCarriers(detail: AuditRow['detail']): AuditRow['detail'] {
  return Object.fromEntries(Object.entries(detail).filter(([name]) => !OF_CARRIERS.includes(name)))
}

/** The newest entries and the newest counts of failures, newest first. */
export async function readAudit(tx: Tx, filter: AuditFilter, limit: number): Promise<AuditRow[]> {
  const entries = (await newestEntries(tx, filter, limit)).map(
    (row): AuditRow => ({ ...row, detail: JSON.parse(row.detail) }),
  )
  const failures = filter.actor === undefined ? (await newestFailures(tx, filter, limit)).map(asRow) : []
  return [...entries, ...failures].sort((a, b) => b.at - a.at).slice(0, limit)
}

type Entry = Tables['audit']['$inferSelect']
type Failures = Tables['auditFailures']['$inferSelect']

function newestEntries({ db, t: { audit } }: Tx, filter: AuditFilter, limit: number): Promise<Entry[]> {
  const since = filter.since === undefined ? undefined : gte(audit.id, firstTicketAt(filter.since))
  const until = filter.until === undefined ? undefined : lt(audit.id, firstTicketAt(filter.until))
  return db
    .select()
    .from(audit)
    .where(and(since, until, beginsWith(audit.actor, filter.actor), ...concerns(audit, filter)))
    .orderBy(desc(audit.id))
    .limit(limit)
}

function newestFailures(
  { db, t: { auditFailures } }: Tx,
  filter: AuditFilter,
  limit: number,
): Promise<Failures[]> {
  const since = filter.since === undefined ? undefined : gte(auditFailures.lastAt, filter.since)
  const until = filter.until === undefined ? undefined : lt(auditFailures.lastAt, filter.until)
  return db
    .select()
    .from(auditFailures)
    .where(and(since, until, ...concerns(auditFailures, filter)))
    .orderBy(desc(auditFailures.lastAt))
    .limit(limit)
}

function concerns(
  table: { accountId: PgColumn; action: PgColumn },
  { accountId, action }: AuditFilter,
): (SQL | undefined)[] {
  return [
    accountId === undefined ? undefined : eq(table.accountId, accountId),
    beginsWith(table.action, action),
  ]
}

function beginsWith(column: PgColumn, text: string | undefined): SQL | undefined {
  return text === undefined ? undefined : sql`substr(${column}, 1, ${text.length}) = ${text}`
}

/** Only the last of several callers in an hour is known. */
function asRow({ action, accountId, failures, lastAt, detail }: Failures): AuditRow {
  const { actor, ...rest }: Record<string, unknown> = JSON.parse(detail)
  return {
    id: null,
    at: lastAt,
    action,
    accountId: accountId || null,
    actor: typeof actor === 'string' ? actor : action.replace(/\W.*/s, ''),
    detail: { ...rest, times: failures },
  }
}
