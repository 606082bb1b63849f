import { type AuditAction, createAudit } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { type AccountRow, findAccount } from './accounts.ts'

/** Runs an operator's change of one account, found by its ID or e-mail, and audits it in the same transaction. */
export type ChangeAccount = <T>(
  action: AuditAction,
  idOrEmail: string,
  detail: Record<string, unknown>,
  work: (tx: Tx, account: AccountRow) => Promise<T>,
) => Promise<T>

export function createChangeAccount({
  database,
  clock,
  newId,
}: {
  database: Database
  clock: Clock
  newId(now: EpochMs): string
}): ChangeAccount {
  const audit = createAudit({ clock, newId })
  return (action, idOrEmail, detail, work) =>
    database.write(async (tx) => {
      const account = await findAccount(tx, idOrEmail)
      if (!account)
        throw new OperatorError(`there is no account ${idOrEmail}; wigwag account list shows them all`)
      const result = await work(tx, account)
      await audit(tx, { actor: 'operator', action, accountId: account.id, detail })
      return result
    })
}

/** The operator named something that does not exist, or requested something that is not possible. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
