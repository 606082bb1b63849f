import { type AuditAction, createAudit } from '../audit/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database, Tx } from '../platform/database/database.ts'
import { type AccountRow, findAccount } from './accounts.ts'
import { isErased } from './erase.ts'

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
      const account = await requireAccount(tx, idOrEmail)
      if (isErased(account)) throw new OperatorError(`account ${account.id} was erased and can't be changed`)
      const result = await work(tx, account)
      await audit(tx, { actor: 'operator', action, accountId: account.id, detail })
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
