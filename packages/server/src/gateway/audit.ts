import type { Clock } from '../clock.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { SenderRow } from '../store/accounts.ts'
import { countFailure, insertAudit } from '../store/audit.ts'
import type { Connection } from '../store/database.ts'

/** What was done. A new kind is added here, so that all kinds can be read in one place. */
export type AuditAction =
  | `account.${'create' | 'suspend' | 'resume' | 'set-password' | 'rotate-secret' | 'rotate-callback-secret'}`
  | 'wallet.credit'
  | `sender.${SenderRow['status']}`
  | 'rates.import'
  | 'keys.rotate'
  | `connector.${'add' | 'remove'}`
  | `connection.${'create' | 'refuse' | 'limits' | 'revoke' | 'end'}`
  | `portal.${'sign-in' | 'sign-out'}`
  /** A write of an assistant: an operation of the API, or a tool of the connector. */
  | `${'api' | 'mcp'} ${string}`

/** What a caller can make fail as often as it likes. It is counted by the hour, so that it cannot fill the storage. */
export type FailureAction = `portal.${'sign-in-failed' | 'sign-in-suspended' | 'locked'}`

/** Something that an operator, a person or an assistant did. It is kept for good. */
export interface AuditEntry {
  /** `operator`, `portal`, `oauth`, or an assistant's connection. */
  actor: string
  action: AuditAction
  accountId?: string | null
  detail?: Record<string, unknown>
}

/** Writes entries, in the transaction of what they tell of. */
export type Audit = (connection: Connection, ...entries: AuditEntry[]) => Promise<void>

/** Counts a failure, in the transaction of what it tells of. */
export type CountFailure = (
  connection: Connection,
  failure: { action: FailureAction; accountId: string | null; detail: Record<string, unknown> },
) => Promise<void>

export interface AuditOptions {
  clock: Pick<Clock, 'now'>
  newId(now: EpochMs): string
}

export function createAudit({ clock, newId }: AuditOptions): Audit {
  return function audit(connection, ...entries) {
    const at = clock.now()
    return insertAudit(
      connection,
      entries.map(({ actor, action, accountId = null, detail = {} }) => ({
        ...{ id: newId(at), at, actor, action, accountId },
        detail: JSON.stringify(detail),
      })),
    )
  }
}

export function createFailureCount({ clock }: Pick<AuditOptions, 'clock'>): CountFailure {
  return (connection, { action, accountId, detail }) =>
    countFailure(connection, { action, accountId, at: clock.now(), detail: JSON.stringify(detail) })
}
