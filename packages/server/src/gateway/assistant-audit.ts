import type { EpochMs } from '../domain/ids.ts'
import { type Micros, toDecimal } from '../domain/money.ts'
import type { Connection } from '../store/database.ts'
import { type AuditEntry, createAudit } from './audit.ts'
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
  const audit = createAudit({ clock: { now: () => at }, newId })
  await audit(connection, ...writes.flatMap(entryOf))
}

function entryOf({ principal, operation, cost, ...detail }: AssistantWrite): AuditEntry[] {
  if (!principal.connection) return []
  const { accountId, connection } = principal
  const priced = cost === undefined ? detail : { ...detail, cost: toDecimal(cost) }
  return [{ actor: `connection:${connection.id}`, action: `api ${operation}`, accountId, detail: priced }]
}
