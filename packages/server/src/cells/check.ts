import { type AccountRow, findAccount, OperatorError, readMovingMark } from '../accounts/index.ts'
import type { WalletRow } from '../money/index.ts'
import { readSetting } from '../platform/database/settings.ts'
import type { Cell, Cells } from './cell.ts'

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

/** The account's people whose addresses sign in to the target already, by their IDs here: their IDs there. */
export async function knownThere(
  { source, target }: Cells,
  accountId: string,
): Promise<Record<string, string>> {
  const here = await source.database.read(({ run }) =>
    run<{ id: string; email: string }>(
      'SELECT id, email FROM people WHERE id IN (SELECT person_id FROM memberships WHERE account_id = $1)',
      [accountId],
    ),
  )
  const there = await target.database.read(({ run }) =>
    run<{ id: string; email: string }>(
      'SELECT id, email FROM people WHERE email IN (SELECT json_array_elements_text($1))',
      [JSON.stringify(here.map(({ email }) => email))],
    ),
  )
  const idOf = new Map(there.map(({ id, email }) => [email, id]))
  return Object.fromEntries(
    here.flatMap(({ id, email }) => {
      const known = idOf.get(email)
      return known === undefined ? [] : [[id, known]]
    }),
  )
}
