import {
  OperatorError,
  readMovingMark,
  removeMovingMark,
  requireAccount,
  setAccountStatus,
} from '../accounts/index.ts'
import { createBringReceipts } from '../delivery/index.ts'
import { belongingsOf } from './belongings.ts'
import { type Cells, type CellsAndAccount, ownerOf } from './cell.ts'
import { nameElsewhere, returnRefs, thaw } from './freeze.ts'
import { removeAccount } from './remove.ts'

/** Takes a move back, as long as the account is the source's: it works there as before. Returns its ID. */
export async function takeBackAccount({ source, target, account }: CellsAndAccount): Promise<string> {
  const { database } = source
  const { id: accountId } = await database.read((tx) => requireAccount(tx, account))
  const mark = await database.read((tx) => readMovingMark(tx, accountId))
  if (!mark) throw new OperatorError(`account ${accountId} is not moving`)
  if (mark.to !== target.name)
    throw new OperatorError(`account ${accountId} is moving to ${mark.to}, not to ${target.name}`)
  if (mark.handedOver)
    throw new OperatorError(
      `account ${accountId} is in ${mark.to} already: finish with the same command without --undo, then move it back`,
    )
  const owner = await ownerOf(source, accountId)
  const tables = belongingsOf(owner)
  await removeAccount({ ...target, accountId, tables, last: (tx) => removeMovingMark(tx, accountId) })
  await database.write((tx) => thaw(tx, owner, { cell: mark.from, elsewhere: false }))
  // What came meanwhile waits by the name that a reference is to get back.
  do await bringReceipts({ source, target: source })
  while ((await database.write((tx) => returnRefs(tx, owner, mark.from))) > 0)
  await database.write(async (tx) => {
    if (mark.before === 'active')
      await setAccountStatus(tx, accountId, { status: mark.before, statusAt: source.clock.now() })
    await removeMovingMark(tx, accountId)
  })
  return accountId
}

/** Takes receipts that came to the cell which accounts have left to where the messages are now. Returns how many. */
export function bringReceipts({ source, target }: Cells): Promise<number> {
  const { database, clock, newId } = target
  return createBringReceipts({
    ...{ from: source.database, to: database, clock, newId },
    carrierThere: (carrier) => nameElsewhere(source.name, carrier),
  })()
}
