import { type AuditAction, createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { type AccountRow, findAccount } from './accounts.ts'
import { isErased } from './erase.ts'
import { lockForChange } from './moving-mark.ts'

/**
 * Runs an operator's change of one account, found by its ID or e-mail, and audits it in the same transaction, unless
 * `hasChanged` says that it did nothing. Looking is allowed while the account moves, and nothing else.
 */
export type ChangeAccount = <T>(
  action: AuditAction,
  idOrEmail: string,
  detail: Record<string, unknown>,
  work: (tx: Tx, account: AccountRow) => Promise<T>,
  hasChanged?: (result: T) => boolean,
) => Promise<T>

export function createChangeAccount(options: OperatorAuditOptions & { database: Database }): ChangeAccount {
  const { database } = options
  const audit = createOperatorAudit(options)
  return (action, idOrEmail, detail, work, hasChanged = () => true) =>
    database.write(async (tx) => {
      const account = await requireAccount(tx, idOrEmail)
      if (isErased(account)) throw new OperatorError(`account ${account.id} was erased and can't be changed`)
      if (action !== 'account.view') await lockForChange(tx, account.id)
      const result = await work(tx, account)
      if (hasChanged(result)) await audit(tx, { action, accountId: account.id, detail })
      return result
    })
}

/** An account by its ID or e-mail. Throws when there is none. */
export async function requireAccount(tx: Tx, idOrEmail: string): Promise<AccountRow> {
  const account = await findAccount(tx, idOrEmail)
  if (account) return account
  throw new OperatorError(`there is no account ${idOrEmail}; wigwag account list shows them all`)
}

/** The operator named something that does not exist, or requested something that is not possible. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
