import { type AuditAction, createOperatorAudit, type OperatorAuditOptions } from '../audit/index.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { type AccountRow, findAccount } from './accounts.ts'
import { isErased } from './erase.ts'
import { readMovingMark } from './moving-mark.ts'

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

/**
 * Locks an account for a change, until the transaction ends. Throws while the account moves: the other cell would not have
 * the change. A move begins with this lock too, so it comes before a change or after it.
 */
export async function lockForChange(tx: Tx, accountId: string): Promise<void> {
  await tx.run(`SELECT id FROM accounts WHERE id = $1 ${tx.locks.forUpdate}`, [accountId])
  const mark = await readMovingMark(tx, accountId)
  if (mark)
    throw new OperatorError(
      `account ${accountId} is moving from ${mark.from} to ${mark.to}: finish that with the same wigwag move --account, or take it back with --undo`,
    )
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
