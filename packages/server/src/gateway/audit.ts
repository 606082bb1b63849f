import type { Clock } from '../clock.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { SenderRow } from '../store/accounts.ts'
import { insertAudit } from '../store/audit.ts'
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
  | `portal.${'sign-in' | 'sign-out' | 'sign-in-failed' | 'locked'}`
  /** A write of an assistant: an operation of the API, or a tool of the connector. */
  | `${'api' | 'mcp'} ${string}`

/** Something that an operator, a person or an assistant did. */
export interface AuditEntry {
  /** `operator`, `portal`, `oauth`, or an assistant's connection. */
  actor: string
  action: AuditAction
  accountId?: string | null
  detail?: Record<string, unknown>
}

/** Writes entries, in the transaction of what they tell of. */
export type Audit = (connection: Connection, ...entries: AuditEntry[]) => Promise<void>

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
