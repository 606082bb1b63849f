import { type WalletRow, walletsOf } from '../money/index.ts'
import { type AccountAction, createOperatorAudit, type OperatorAuditOptions } from '../store/audit/index.ts'
import type { Database, Tx } from '../store/database.ts'
import { readSetting, removeSetting, writeSetting } from '../store/settings.ts'
import { type AccountRow, findAccount, isErased } from './accounts.ts'

/** Parts of an operator's change of an account. */
export type Changing = OperatorAuditOptions & { database: Database }

/**
 * Runs an operator's change of one account, found by its ID or e-mail, and audits it in the same transaction, unless
 * `hasChanged` says that it did nothing. Looking is allowed while the account moves, and nothing else.
 */
export function changeAccount<T>(
  parts: Changing,
  action: AccountAction,
  idOrEmail: string,
  detail: Record<string, unknown>,
  work: (tx: Tx, account: AccountRow) => Promise<T>,
  hasChanged: (result: T) => boolean = () => true,
): Promise<T> {
  const audit = createOperatorAudit(parts)
  return parts.database.write(async (tx) => {
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

/** The wallet of an account. Throws when it has none. */
export async function requireWallet(tx: Tx, { id }: AccountRow): Promise<WalletRow> {
  const [wallet] = await walletsOf(tx, id)
  if (wallet) return wallet
  throw new OperatorError(`account ${id} has no wallet`)
}

/** The operator named something that does not exist, or requested something that is not possible. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}

/** Notes, on both sides, that an account moves from one cell to another. Until it has arrived it stays suspended. */
export interface MovingMark {
  /** The cells by their names, or by their databases where they have none. */
  from: string
  to: string
  /** The run of a command that goes on with it. */
  run: string
  /** The status that it had before. */
  before: AccountRow['status']
  /** Whether both sides were the same, so that the account is the other cell's. */
  handedOver: boolean
}

export async function readMovingMark(tx: Tx, accountId: string): Promise<MovingMark | undefined> {
  const text = await readSetting(tx, `moving:${accountId}`)
  return text === undefined ? undefined : (JSON.parse(text) as MovingMark)
}

export function writeMovingMark(tx: Tx, accountId: string, mark: MovingMark): Promise<void> {
  return writeSetting(tx, `moving:${accountId}`, JSON.stringify(mark))
}

export function removeMovingMark(tx: Tx, accountId: string): Promise<void> {
  return removeSetting(tx, `moving:${accountId}`)
}

/** The accounts that move to another cell or come from one. */
export async function movingAccounts({ run }: Tx): Promise<{ accountId: string; mark: MovingMark }[]> {
  const rows = await run<{ accountId: string; value: string }>(
    `SELECT substr(name, 8) AS "accountId", value FROM settings WHERE name LIKE 'moving:%' ORDER BY name`,
    [],
  )
  return rows.map(({ accountId, value }) => ({ accountId, mark: JSON.parse(value) as MovingMark }))
}
