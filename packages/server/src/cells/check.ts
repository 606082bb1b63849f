import { type AccountRow, findAccount, OperatorError, readMovingMark } from '../accounts/index.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { WalletRow } from '../money/index.ts'
import { readSetting } from '../platform/database/settings.ts'
import type { Cell, Cells } from './cell.ts'
import type { Open } from './open.ts'

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

/** As long as a message's validity is at most, unless it was set to more. */
const LONGEST_WAIT_MS = 2 * 24 * 3_600_000

/** Throws when the account would be suspended for days, until the last of what it has scheduled is due. */
export function refuseLongWait({ id }: AccountRow, { scheduled, lastDueAt }: Open, now: EpochMs): void {
  if (lastDueAt <= now + LONGEST_WAIT_MS) return
  throw new OperatorError(
    `account ${id} has scheduled messages, of ${scheduled} the last for ${new Date(lastDueAt).toISOString()}, and would be suspended until then: let its people cancel what is due later than in two days, or cancel all of them with --cancel-scheduled`,
  )
}
