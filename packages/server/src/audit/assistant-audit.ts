import { type Micros, toDecimal } from '@wigwag/contract'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Principal } from '../platform/http/principal.ts'
import { type AuditEntry, createAudit } from './audit.ts'

/** A write that an assistant requested through the API, and its outcome. */
export interface AssistantWrite {
  principal: Principal
  operation: string
  /** `done`, or the code of the problem that refused it. */
  outcome: string
  ticket?: string | undefined
  messages?: number
  cost?: Micros
}

/**
 * Adds a row for every write of an assistant, in the transaction that accepts or refuses it, whichever connector it
 * came through. Writes of the account's API clients get no row.
 */
export async function auditWrites(
  tx: Tx,
  writes: readonly AssistantWrite[],
  at: EpochMs,
  newId: (now: EpochMs) => string,
): Promise<void> {
  const audit = createAudit({ clock: { now: () => at }, newId })
  await audit(tx, ...writes.flatMap(entryOf))
}

function entryOf({ principal, operation, cost, ...detail }: AssistantWrite): AuditEntry[] {
  if (!principal.grant) return []
  const { accountId, grant } = principal
  const priced = cost === undefined ? detail : { ...detail, cost: toDecimal(cost) }
  return [{ actor: `connection:${grant.id}`, action: `api ${operation}`, accountId, detail: priced }]
}
