import type { EpochMs } from '../domain/ids.ts'
import type { Connection } from './database.ts'

/** Something that an operator or an assistant did, kept for later questions. */
export interface AuditEntry {
  id: string
  at: EpochMs
  actor: string
  action: string
  accountId: string | null
  detail: Record<string, unknown>
}

export async function recordAudit({ db, t }: Connection, { detail, ...entry }: AuditEntry): Promise<void> {
  await db.insert(t.audit).values({ ...entry, detail: JSON.stringify(detail) })
}
