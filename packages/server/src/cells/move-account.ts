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
} from '../accounts/index.ts'
import { createEndByOperator } from '../assistants/index.ts'
import { createOperatorAudit } from '../audit/index.ts'
import { walletsOf } from '../money/index.ts'
import type { Comparison } from '../moving/index.ts'
import { membersOf } from '../people/index.ts'
import { belongingsOf, type Owner } from './belongings.ts'
import { type CarryOptions, carry } from './carry.ts'
import { type Cells, type CellsAndAccount, idOf, ownerOf } from './cell.ts'
import { cellsDiffer, refuseArrival, refuseLongWait } from './check.ts'
import { giveAway } from './give-away.ts'
import { dropCallbackJobs, type Open, openOf, postCallbacks } from './open.ts'
import { type Invited, inviteOthers, stayingPeople, type Taken, takenThere } from './people.ts'
import { removeAccount } from './remove.ts'
import { cancelScheduled, comeToRest, type RestOptions } from './rest.ts'
import { asRun, noteInTarget, requireRun, takeOver } from './take-over.ts'

export interface MoveAccountOptions
  extends CellsAndAccount,
    Omit<RestOptions, 'mayGoOn'>,
    Pick<CarryOptions, 'startProgress'> {
  /** Cancels what is scheduled, rather than to wait until it was sent. */
  cancelsScheduled?: boolean
  /** Told what is open, and who will be invited, before anything is changed. */
  onBegin?(begun: Begun): void
}

export interface Begun {
  open: Open
  taken: readonly Taken[]
}

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
  /** People who were invited when it arrived. */
  invited: readonly Invited[]
}

/** Old rows are deleted at any time, and an operator may look at the account: then both sides differ by that. */
const MOST_COPIES = 3

/**
 * Moves an account from one cell to another at rest: it is suspended, its messages come to their ends in the source, and
 * then its rows are copied. What is interrupted can be gone on with: until both sides are the same the account is the
 * source's, and from then on the target's. Called again after the account has arrived, it deletes what the source still has.
 */
export async function moveAccount(options: MoveAccountOptions): Promise<MovedAccount> {
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

async function begin(options: MoveAccountOptions, owner: Owner, run: string): Promise<MovingMark> {
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
    await createEndByOperator(source)(tx, accountId, 'all', 'the account moves to another address')
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

/** Waits until it is at rest, and copies until both sides are the same. From then on the account is the target's. */
async function handOver(options: MoveAccountOptions, owner: Owner, mark: MovingMark): Promise<Comparison> {
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

/** Lets the account in at the target, and invites who did not come along. Undefined when it was in. */
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

/** Deletes what the source still has. Its wallets are empty since it was given away. */
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

/** Takes a move back, as long as the account is the source's: it works there as before. Returns its ID. */
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
