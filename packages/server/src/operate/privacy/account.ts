import { toDecimal } from '@wigwag/contract'
import { eq } from 'drizzle-orm'
import {
  type AccountRow,
  clientsOf,
  eraseAccountRows,
  isErased,
  lockForChange,
  OperatorError,
  requireAccount,
} from '../../accounts/index.ts'
import { deletePerson, forgetPeople } from '../../accounts/people/index.ts'
import { forgetConnections } from '../../assistants/index.ts'
import { money } from '../../kernel/money/shown.ts'
import { setWarning, type WalletRow, walletsOf } from '../../money/index.ts'
import { endSessionsOfAccount, forgetProofs } from '../../sign-in/portal/index.ts'
import { createOperatorAudit, emptyDetails } from '../../store/audit/index.ts'
import type { Tx } from '../../store/database.ts'
import { finishStep } from '../../store/slices.ts'
import { overwriteDeleted } from '../../store/wipe.ts'
import type { Erasing } from './number.ts'
import { forgetSends } from './sends.ts'

export interface EraseOptions {
  /** Erase although money is left, which then stays in the books and can't be spent. */
  despiteBalance?: boolean | undefined
  /** Erase although messages are under way: they are deleted, and what is held for them is released. */
  despiteOpen?: boolean | undefined
}

interface ErasedAccount {
  accountId: string
  /** The balance that each wallet keeps in the books. */
  wallets: { walletId: string; currency: string; balance: number }[]
}

/**
 * Erases a suspended account: all that it sent, who it belongs to, its keys, its connections. Its wallets with their
 * ledger and totals stay, and so do its audit entries, without details. The account's own row is emptied last, in the
 * transaction of the audit entry, so that one that is cut off can be repeated.
 */
export async function eraseAccount(
  parts: Erasing,
  idOrEmail: string,
  options: EraseOptions = {},
): Promise<ErasedAccount> {
  const { database, clock } = parts
  const { id } = await database.write(async (tx) => {
    const account = await requireClosed(tx, idOrEmail, options)
    await lockForChange(tx, account.id)
    return account
  })
  await overwriteDeleted(database)
  for (const wallet of await database.read((tx) => walletsOf(tx, id))) {
    for (const step of forgetSends(database, { accountId: id, walletId: wallet.id }))
      await finishStep(step, clock)
    parts.changes.note(wallet.id)
  }
  await finishStep(() => database.write((tx) => emptyDetails(tx, id), { patient: true }), clock)
  return database.write(async (tx) => {
    await lockForChange(tx, id)
    const wallets = await walletsOf(tx, id)
    if (wallets.some(({ held }) => held > 0))
      throw new OperatorError(`account ${id} accepted a message meanwhile: try again`)
    const clients = await clientsOf(tx, id)
    const clientIds = clients.map((client) => client.id)
    await forgetConnections(tx, id, clientIds)
    await endSessionsOfAccount(tx, id)
    await forgetEverybody(tx, id)
    for (const wallet of wallets) await setWarning(tx, wallet.id, undefined)
    await eraseAccountRows(tx, id)
    await createOperatorAudit(parts)(tx, { action: 'account.erase', accountId: id })
    const left = wallets.map(({ id: walletId, currency, posted }) => ({
      walletId,
      currency,
      balance: toDecimal(posted),
    }))
    return { accountId: id, wallets: left }
  })
}

const OF_ACCOUNT = [
  'personEvents',
  'alertChoices',
  'accountAlerts',
  'alerts',
  'alertEvents',
  'mails',
] as const

/** Deletes who was in no other account, and leaves nothing to sign in with to people who have left the others. */
async function forgetEverybody(tx: Tx, accountId: string): Promise<void> {
  for (const table of OF_ACCOUNT) await tx.db.delete(tx.t[table]).where(eq(tx.t[table].accountId, accountId))
  for (const { id, wasElsewhere } of await forgetPeople(tx, accountId)) {
    await forgetProofs(tx, id)
    if (!wasElsewhere) await deletePerson(tx, id)
  }
}

/** Counts of what an erasure deletes, and the wallets that stay in the books. */
export interface EraseConsequences {
  /** Counted up to a limit, like the others. */
  messages: number
  /** Of these, scheduled or under way: what is held for them is released. */
  open: number
  /** Callbacks that are still to be posted, and then never are. */
  callbacks: number
  wallets: WalletRow[]
}

/** The counts of a wallet stop at one more than this. */
export const MOST_CONSEQUENCES = 10_000

/** Says what erasing an account would do. */
export async function eraseConsequences(tx: Tx, accountId: string): Promise<EraseConsequences> {
  const wallets = await walletsOf(tx, accountId)
  const count = async (table: string, where: string) => {
    let total = 0
    for (const { id } of wallets) {
      const [row] = await tx.run<{ count: number }>(
        `SELECT count(*) AS count FROM (SELECT 1 FROM ${table} WHERE wallet_id = $1 ${where} LIMIT ${MOST_CONSEQUENCES + 1}) AS counted`,
        [id],
      )
      total += row?.count ?? 0
    }
    return total
  }
  return {
    messages: await count('messages', ''),
    open: await count('messages', 'AND sender_key IS NULL'),
    callbacks: await count('callbacks', `AND state = 'pending'`),
    wallets,
  }
}

async function requireClosed(tx: Tx, idOrEmail: string, options: EraseOptions): Promise<AccountRow> {
  const account = await requireAccount(tx, idOrEmail)
  if (isErased(account)) throw new OperatorError(`account ${account.id} was erased already`)
  if (account.status !== 'suspended')
    throw new OperatorError(
      `account ${account.id} is ${account.status}; only a suspended account can be erased: wigwag account suspend ${account.id}`,
    )
  const wallets = await walletsOf(tx, account.id)
  const open = await countOpen(tx, account.id)
  if (open > 0 && !options.despiteOpen) {
    const messages = open === 1 ? '1 message that is' : `${open} messages that are`
    throw new OperatorError(
      `account ${account.id} has ${messages} scheduled or under way; wait for the end, or delete them and give ` +
        'their holds back with --despite-open',
    )
  }
  const left = wallets.filter(({ posted }) => posted > 0)
  if (left.length > 0 && !options.despiteBalance) {
    const amounts = left.map(({ posted, currency }) => money(posted, currency)).join(', ')
    throw new OperatorError(
      `account ${account.id} still has ${amounts}; pay it back outside of Wigwag and pass --despite-balance: the amount ` +
        'then stays in the books and can no longer be spent',
    )
  }
  return account
}

async function countOpen({ run }: Tx, accountId: string): Promise<number> {
  const [row] = await run<{ open: number }>(
    `SELECT count(*) AS open FROM messages m JOIN wallets w ON w.id = m.wallet_id
     WHERE w.account_id = $1 AND m.sender_key IS NULL`,
    [accountId],
  )
  return row?.open ?? 0
}
