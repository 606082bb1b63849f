import { findAccount, OperatorError } from '../accounts/index.ts'
import { walletsOf } from '../money/index.ts'
import type { WorkParts } from '../operator-work.ts'
import type { Owner } from './belongings.ts'

/** A cell: the work of an operator on its database, and what it is called. */
export interface Cell extends WorkParts {
  name: string
}

export interface Cells {
  source: Cell
  target: Cell
}

export interface CellsAndAccount extends Cells {
  /** An ID or an e-mail address. */
  account: string
}

/** The ID of an account that is in the source. */
export async function idOf({ source, target, account }: CellsAndAccount): Promise<string> {
  const here = await source.database.read((tx) => findAccount(tx, account))
  if (here) return here.id
  if (await target.database.read((tx) => findAccount(tx, account)))
    throw new OperatorError(`account ${account} is in ${target.name} already`)
  throw new OperatorError(
    `there is no account ${account} in ${source.name}; wigwag account list shows them all`,
  )
}

export async function ownerOf({ database }: Cell, accountId: string): Promise<Owner> {
  const wallets = await database.read((tx) => walletsOf(tx, accountId))
  return { accountId, walletIds: wallets.map(({ id }) => id) }
}
