import type { EpochMs } from '../domain/ids.ts'
import { type Micros, toDecimal } from '../domain/money.ts'
import { type AuditEntry, recordAudit } from '../store/audit.ts'
import type { Connection } from '../store/database.ts'
import type { Principal } from './principal.ts'

/** What became of a write that an assistant asked the API for. */
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
 * Leaves a row for every write of an assistant, in the transaction that takes or refuses it: whatever connector it came
 * through, and whatever that one wrote down. Writes of the account's own programs leave none.
 */
export async function auditWrites(
  connection: Connection,
  writes: readonly AssistantWrite[],
  at: EpochMs,
  newId: (now: EpochMs) => string,
): Promise<void> {
  for (const write of writes) {
    const entry = entryOf(write)
    if (entry) await recordAudit(connection, { id: newId(at), at, ...entry })
  }
}

function entryOf({
  principal,
  operation,
  cost,
  ...detail
}: AssistantWrite): Omit<AuditEntry, 'id' | 'at'> | undefined {
  if (!principal.connection) return undefined
  const { accountId, connection } = principal
  const priced = cost === undefined ? detail : { ...detail, cost: toDecimal(cost) }
  return { actor: `connection:${connection.id}`, action: `api ${operation}`, accountId, detail: priced }
}
