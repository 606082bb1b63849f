import {
  clientsOf,
  isErased,
  lockForChange,
  type MovingMark,
  OperatorError,
  readMovingMark,
  removeMovingMark,
  requireAccount,
  setAccountStatus,
  writeMovingMark,
} from '../../accounts/index.ts'
import { membersOf } from '../../accounts/people/index.ts'
import { endByOperator } from '../../assistants/index.ts'
import { walletsOf } from '../../money/index.ts'
import { createOperatorAudit } from '../../store/audit/index.ts'
import type { Comparison, StartProgress } from '../moving/index.ts'
import { belongingsOf, carry, removeAccount } from './belongings.ts'
import {
  type Cells,
  type CellsAndAccount,
  cellsDiffer,
  idOf,
  type Owner,
  ownerOf,
  refuseArrival,
} from './cell.ts'
import { type Invited, inviteOthers, stayingPeople, type Taken, takenThere } from './people.ts'
import {
  cancelScheduled,
  comeToRest,
  dropCallbackJobs,
  giveAway,
  type Open,
  openOf,
  postCallbacks,
  refuseLongWait,
  type Waiting,
} from './rest.ts'
import { asRun, noteInTarget, requireRun, takeOver } from './take-over.ts'

/** A move of an account, as the command asks for it. */
export interface MoveOfAccount extends CellsAndAccount, Waiting {
  startProgress: StartProgress
  /** Cancels scheduled messages instead of waiting until they are sent. */
  cancelsScheduled?: boolean
  /** Called before anything is changed. */
  onBegin?(begun: Begun): void
}

/** The facts of a move that begins. */
export interface Begun {
  /** The work that has to end first. */
  open: Open
  /** The people who will be invited, because their addresses are taken in the target. */
  taken: readonly Taken[]
}

export interface MovedAccount {
  accountId: string
  /**
   * `differs`: the rows of the two sides do, and the account is still the source's. `arrived`: it is the target's, and the
   * source asks callers who still come there to try again. `left`: it is deleted in the source.
   */
  state: 'differs' | 'arrived' | 'left'
  /** The ids by which a proxy knows the account. */
  clientIds: readonly string[]
  comparison: Comparison | undefined
  /** People who were invited when it arrived. */
  invited: readonly Invited[]
}

/** Copies are made again while the sides differ: old rows may be deleted meanwhile, or an operator's look audited. */
const MOST_COPIES = 3

/**
 * Moves an account at rest to another cell: suspends it, waits until its messages have ended in the source,
 * and copies its rows. Interruptible: call again to continue. The account is the source's until both sides
 * are the same, and the target's from then on. A call after it has arrived deletes the source's rows.
 */
export async function moveAccount(options: MoveOfAccount): Promise<MovedAccount> {
  const { source, target } = options
  const accountId = await idOf(options)
  const owner = await ownerOf(source, accountId)
  const run = source.newId(source.clock.now())
  const mark = (await takeOver(options, accountId, run)) ?? (await begin(options, owner, run))
  const ours = {
    ...options,
    source: asRun(source, accountId, run),
    target: asRun(target, accountId, run),
  }
  const comparison = mark.handedOver ? undefined : await handOver(ours, owner, mark)
  if (comparison && !comparison.same)
    return { accountId, state: 'differs', clientIds: [], comparison, invited: [] }
  const invited = await arrive(ours, owner, mark)
  if (!invited) await leave(ours, owner)
  const clients = await target.database.read((tx) => clientsOf(tx, accountId))
  return {
    accountId,
    state: invited ? 'arrived' : 'left',
    clientIds: clients.map(({ id }) => id),
    comparison,
    invited: invited ?? [],
  }
}

async function begin(options: MoveOfAccount, owner: Owner, run: string): Promise<MovingMark> {
  const { source, target, cancelsScheduled = false, onBegin } = options
  const { accountId } = owner
  await cellsDiffer({ source, target })
  const { account, wallets, open } = await source.database.read(async (tx) => ({
    account: await requireAccount(tx, accountId),
    wallets: await walletsOf(tx, accountId),
    open: await openOf(tx, owner, source.clock.now()),
  }))
  if (isErased(account)) throw new OperatorError(`account ${accountId} was erased and stays where it is`)
  await refuseArrival(target, account, wallets)
  if (!cancelsScheduled) refuseLongWait(account, open, source.clock.now())
  onBegin?.({ open, taken: await takenThere({ source, target }, accountId) })
  const mark = await source.database.write(async (tx) => {
    await lockForChange(tx, accountId)
    const { status: before } = await requireAccount(tx, accountId)
    const noted = { from: source.name, to: target.name, run, before, handedOver: false }
    await writeMovingMark(tx, accountId, noted)
    await setAccountStatus(tx, accountId, { status: 'suspended', statusAt: source.clock.now() })
    await endByOperator(source, tx, accountId, 'all', 'the account moves to another address')
    await createOperatorAudit(source)(tx, {
      action: 'account.suspend',
      accountId,
      detail: { movesTo: target.name },
    })
    return noted
  })
  await noteInTarget(target, accountId, mark)
  return mark
}

/** Waits until the account is at rest, and copies it until both sides are the same. From then on it is the target's. */
async function handOver(options: MoveOfAccount, owner: Owner, mark: MovingMark): Promise<Comparison> {
  const { source, target, startProgress, cancelsScheduled } = options
  const { accountId } = owner
  const tables = belongingsOf(owner)
  if (cancelsScheduled) await cancelScheduled(source, owner)
  for (let copies = 1; ; copies++) {
    await comeToRest(source, owner, { ...options, mayGoOn: (tx) => requireRun(tx, accountId, mark.run) })
    const staying = await stayingPeople({ source, target }, accountId)
    const databases = { source: source.database, target: target.database }
    const comparison = await carry({ ...databases, accountId, tables, staying, startProgress })
    const isGiven = comparison.same && (await giveAway({ source, target }, owner, mark))
    if (isGiven) return comparison
    if (copies === MOST_COPIES) return { ...comparison, same: false }
    await removeAccount({ ...target, accountId, tables })
  }
}

/** Opens the account in the target, and invites the people who were not moved. Undefined when it was open already. */
async function arrive(
  { source, target }: Cells,
  owner: Owner,
  { from, before }: MovingMark,
): Promise<Invited[] | undefined> {
  const { accountId } = owner
  const members = await source.database.read((tx) => membersOf(tx, accountId))
  if (!(await target.database.read((tx) => readMovingMark(tx, accountId)))) return undefined
  return target.database.write(async (tx) => {
    const now = target.clock.now()
    await postCallbacks(tx, owner, now)
    await removeMovingMark(tx, accountId)
    if (before === 'active') await setAccountStatus(tx, accountId, { status: before, statusAt: now })
    await createOperatorAudit(target)(tx, { action: 'account.arrive', accountId, detail: { from } })
    return inviteOthers(tx, target, { accountId, members })
  })
}

/** Deletes the account in the source, where its wallets are empty since the hand-over. */
async function leave({ source }: Cells, owner: Owner): Promise<void> {
  const { database, clock } = source
  const { accountId } = owner
  const { open, wallets } = await database.read(async (tx) => ({
    open: await openOf(tx, owner, clock.now()),
    wallets: await walletsOf(tx, accountId),
  }))
  if (open.underWay + open.scheduled > 0 || wallets.some(({ posted }) => posted > 0))
    throw new OperatorError(
      `account ${accountId} has money or messages in ${source.name} that came after it had left: nothing was deleted; wigwag wallet statement ${accountId} and wigwag messages find --account ${accountId} show them`,
    )
  await database.write((tx) => dropCallbackJobs(tx, owner))
  const tables = belongingsOf(owner)
  await removeAccount({ ...source, accountId, tables, last: (tx) => removeMovingMark(tx, accountId) })
}

/** Undoes a move while the account is still the source's, where it then works as before. Returns its ID. */
export async function takeBackAccount(options: CellsAndAccount): Promise<string> {
  const { database, clock, newId } = options.source
  const { id: accountId } = await database.read((tx) => requireAccount(tx, options.account))
  const run = newId(clock.now())
  const mark = await takeOver(options, accountId, run)
  if (!mark) throw new OperatorError(`account ${accountId} is not moving`)
  if (mark.handedOver)
    throw new OperatorError(
      `account ${accountId} is in ${mark.to} already: finish with the same command without --undo, then move it back`,
    )
  const source = asRun(options.source, accountId, run)
  const target = asRun(options.target, accountId, run)
  const tables = belongingsOf(await ownerOf(source, accountId))
  await removeAccount({ ...target, accountId, tables, last: (tx) => removeMovingMark(tx, accountId) })
  await source.database.write(async (tx) => {
    await removeMovingMark(tx, accountId)
    if (mark.before === 'active')
      await setAccountStatus(tx, accountId, { status: mark.before, statusAt: clock.now() })
    const detail = { takenBackFrom: mark.to }
    await createOperatorAudit(source)(tx, { action: 'account.resume', accountId, detail })
  })
  return accountId
}
