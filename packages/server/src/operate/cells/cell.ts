import { type AccountRow, findAccount, OperatorError, readMovingMark } from '../../accounts/index.ts'
import { type WalletRow, walletsOf } from '../../money/index.ts'
import { readSetting } from '../../store/settings.ts'
import type { WorkParts } from '../operator-work.ts'

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

/** An account with its wallets, as what belongs to it is found. */
export interface Owner {
  accountId: string
  walletIds: readonly string[]
}

export async function ownerOf({ database }: Cell, accountId: string): Promise<Owner> {
  const wallets = await database.read((tx) => walletsOf(tx, accountId))
  return { accountId, walletIds: wallets.map(({ id }) => id) }
}

/** Throws unless these are two databases that serve customers of one kind. */
export async function cellsDiffer({ source, target }: Cells): Promise<void> {
  if (source.name === target.name)
    throw new OperatorError(
      `expected two cells, got ${source.name} twice: name another database with --to, or give each a name with WIGWAG_CELL`,
    )
  const kindOf = ({ database }: Cell) => database.read((tx) => readSetting(tx, 'environment'))
  const [here, there] = [await kindOf(source), await kindOf(target)]
  if (here !== there)
    throw new OperatorError(
      `expected two cells of one kind, got ${source.name}, which is ${here ?? 'new'}, and ${target.name}, which is ${there ?? 'new: start its gateway first'}`,
    )
}

/** Throws when the target can't have the account: something of it is there, or its sends would have no price. */
export async function refuseArrival(
  { name, database }: Cell,
  { id, email }: AccountRow,
  wallets: readonly WalletRow[],
): Promise<void> {
  await database.read(async (tx) => {
    const isOurs = (await readMovingMark(tx, id)) !== undefined
    if (!isOurs && (await findAccount(tx, id))) throw new OperatorError(`account ${id} is in ${name} already`)
    const other = await findAccount(tx, email)
    if (other && other.id !== id)
      throw new OperatorError(
        `${name} has another account for ${email}, ${other.id}: change one of the addresses first`,
      )
    for (const { currency } of wallets) {
      const [price] = await tx.run('SELECT 1 AS one FROM rates WHERE currency = $1 LIMIT 1', [currency])
      if (!price)
        throw new OperatorError(
          `${name} has no prices in ${currency}: import them first with wigwag rates import`,
        )
    }
  })
}
