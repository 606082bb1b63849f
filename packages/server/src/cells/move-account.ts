import {
  clientsOf,
  type MovingMark,
  OperatorError,
  readMovingMark,
  removeMovingMark,
  requireAccount,
  setAccountStatus,
  writeMovingMark,
} from '../accounts/index.ts'
import { createEndByOperator } from '../assistants/index.ts'
import { createOperatorAudit } from '../audit/index.ts'
import { walletsOf } from '../money/index.ts'
import type { Comparison } from '../moving/index.ts'
import type { Tx } from '../platform/database/database.ts'
import { belongingsOf, type Owner, type OwnTable } from './belongings.ts'
import { type CarryOptions, carry } from './carry.ts'
import { type Cells, type CellsAndAccount, idOf, ownerOf } from './cell.ts'
import { cellsDiffer, knownThere, refuseArrival } from './check.ts'
import { thaw } from './freeze.ts'
import { removeAccount } from './remove.ts'
import { comeToRest, type RestOptions } from './rest.ts'

export interface MoveAccountOptions
  extends CellsAndAccount,
    Omit<RestOptions, 'cell'>,
    Pick<CarryOptions, 'startProgress'> {}

export interface MovedAccount {
  accountId: string
  /**
   * How far it is. Arrived: it is the target's, and still known to the source, so that requests which a proxy leads there
   * are asked to come again. Left: it is deleted there. Differs: both sides do, so it is the source's.
   */
  state: 'differs' | 'arrived' | 'left'
  /** What a proxy knows it by. */
  clientIds: readonly string[]
  comparison: Comparison | undefined
  /** Messages whose receipts will come to the cell that it left. */
  receiptsToCome: number
}

/** Old rows are deleted at any time, and an operator may look at the account: then both sides differ by that. */
const MOST_COPIES = 3

/**
 * Moves an account from one cell to another while both serve their other accounts. It is suspended meanwhile. What is
 * interrupted can be gone on with: until both sides are the same the account is the source's, and from then on the target's.
 * Called again after the account has arrived, it deletes what the source still has.
 */
export async function moveAccount(options: MoveAccountOptions): Promise<MovedAccount> {
  const { source, target } = options
  const accountId = await idOf(options)
  const begun = await source.database.read((tx) => readMovingMark(tx, accountId))
  const mark = begun ?? (await begin(options, accountId))
  if (mark.to !== target.name)
    throw new OperatorError(`account ${accountId} is moving to ${mark.to}, not to ${target.name}`)
  const owner = await ownerOf(source, accountId)
  const comparison = mark.handedOver ? undefined : await handOver(options, owner, mark)
  if (comparison && !comparison.same)
    return { accountId, state: 'differs', clientIds: [], comparison, receiptsToCome: 0 }
  const hasArrived = await arrive(options, owner, mark)
  if (!hasArrived) await leave(options, owner)
  return target.database.read(async (tx) => ({
    ...{ accountId, state: hasArrived ? 'arrived' : 'left', comparison },
    clientIds: (await clientsOf(tx, accountId)).map(({ id }) => id),
    receiptsToCome: await countRefs(tx, accountId),
  }))
}

async function begin({ source, target }: Cells, accountId: string): Promise<MovingMark> {
  await cellsDiffer({ source, target })
  const account = await source.database.read((tx) => requireAccount(tx, accountId))
  await refuseArrival(target, account, await source.database.read((tx) => walletsOf(tx, accountId)))
  const mark: MovingMark = {
    ...{ from: source.name, to: target.name, before: account.status, handedOver: false },
    known: await knownThere({ source, target }, accountId),
  }
  await target.database.write((tx) => writeMovingMark(tx, accountId, mark))
  await source.database.write(async (tx) => {
    await writeMovingMark(tx, accountId, mark)
    await setAccountStatus(tx, accountId, { status: 'suspended', statusAt: source.clock.now() })
    await createEndByOperator(source)(tx, accountId, 'all', 'the account moves to another address')
  })
  return mark
}

/** Copies until both sides are the same. From then on the account is the target's. */
async function handOver(options: MoveAccountOptions, owner: Owner, mark: MovingMark): Promise<Comparison> {
  const { source, target, startProgress } = options
  const { accountId } = owner
  await comeToRest({ ...options, cell: source }, owner, mark)
  const tables = belongingsOf(owner)
  const databases = { source: source.database, target: target.database }
  for (let copies = 1; ; copies++) {
    const comparison = await carry({ ...databases, accountId, tables, known: mark.known, startProgress })
    if (comparison.same) {
      await source.database.write(async (tx) => {
        await writeMovingMark(tx, accountId, { ...mark, handedOver: true })
        await createOperatorAudit(source)(tx, { action: 'account.leave', accountId, detail: { to: mark.to } })
      })
      return comparison
    }
    if (copies === MOST_COPIES) return comparison
    await removeAccount({ ...target, accountId, tables })
  }
}

/** Lets the account in at the target. False when it was in. */
function arrive({ target }: Cells, owner: Owner, { from, before }: MovingMark): Promise<boolean> {
  const { accountId } = owner
  return target.database.write(async (tx) => {
    if (!(await readMovingMark(tx, accountId))) return false
    await thaw(tx, owner, { cell: from, elsewhere: true })
    await removeMovingMark(tx, accountId)
    if (before === 'active')
      await setAccountStatus(tx, accountId, { status: before, statusAt: target.clock.now() })
    await createOperatorAudit(target)(tx, { action: 'account.arrive', accountId, detail: { from } })
    return true
  })
}

async function leave({ source }: Cells, owner: Owner): Promise<void> {
  const { accountId } = owner
  const tables = belongingsOf(owner).map(butItsLeaving)
  await removeAccount({ ...source, accountId, tables, last: (tx) => removeMovingMark(tx, accountId) })
}

/** The log of the source keeps where the account went. */
function butItsLeaving(table: OwnTable): OwnTable {
  if (table.name !== 'audit' || !table.where) return table
  const { text, values } = table.where
  return { ...table, where: { text: `${text} AND action <> 'account.leave'`, values } }
}

async function countRefs({ run }: Tx, accountId: string): Promise<number> {
  const [row] = await run<{ messages: number }>(
    `SELECT count(DISTINCT r.message_id) AS messages FROM carrier_refs r JOIN messages m ON m.id = r.message_id
     WHERE m.account_id = $1 AND m.sender_key IS NULL`,
    [accountId],
  )
  return row?.messages ?? 0
}
