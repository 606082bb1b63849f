import { type Micros, toDecimal } from '@wigwag/contract'
import type { EpochMs } from '../domain/ids.ts'
import type { Tx } from '../platform/database/database.ts'
import type { Principal } from '../platform/http/principal.ts'
import { type AuditEntry, createAudit } from './audit.ts'

/** A write that an assistant requested through the API, or a person on a page, and its outcome. */
export interface Write {
  principal: Principal
  operation: string
  /** `done`, or the code of the problem that refused it. */
  outcome: string
  ticket?: string | undefined
  /** What it was about, where there is no ticket: a key, or a sender ID. */
  about?: string
  /** Audited for the account's own programs too, because it changes who may call or what may be sent. */
  always?: boolean
  messages?: number
  cost?: Micros
}

/**
 * Adds a row for every write of an assistant or a person, in the transaction that accepts or refuses it. Writes of the
 * account's API clients get no row, but for those that change who may call or what may be sent.
 */
export async function auditWrites(
  tx: Tx,
  writes: readonly Write[],
  at: EpochMs,
  newId: (now: EpochMs) => string,
): Promise<void> {
  const audit = createAudit({ clock: { now: () => at }, newId })
  await audit(tx, ...writes.flatMap(entryOf))
}

/** Whether the caller's writes are audited: they are not the account's own programs. */
export function isAudited({ grant, person }: Principal): boolean {
  return grant !== undefined || person !== undefined
}

function entryOf({ principal, operation, cost, always, ...detail }: Write): AuditEntry[] {
  if (!always && !isAudited(principal)) return []
  const { accountId, grant, person, clientId } = principal
  const priced = cost === undefined ? detail : { ...detail, cost: toDecimal(cost) }
  const detailed = { accountId, detail: priced }
  if (person !== undefined) return [{ actor: 'portal', action: `console ${operation}`, ...detailed }]
  const actor = grant ? `connection:${grant.id}` : `client:${clientId}`
  return [{ actor, action: `api ${operation}`, ...detailed }]
}
