import type { Micros } from '@wigwag/contract'
import {
  type AccountRow,
  clientsOf,
  findAccount,
  lastUses,
  newestAccounts,
  type OwnKey,
  type SenderRow,
  sendersOf,
  type ToolProgram,
} from '../../accounts/index.ts'
import type { ConnectionView } from '../../assistants/index.ts'
import { type EpochMs, isTicket } from '../../domain/ids.ts'
import { available } from '../../domain/money/ledger.ts'
import { countOpen, type OpenMessages } from '../../history/index.ts'
import { sentSince } from '../../messages/index.ts'
import {
  type StatementLine,
  statementLines,
  type WalletRow,
  walletsByAccount,
  walletsOf,
  warningOf,
  warningsByWallet,
} from '../../money/index.ts'
import { type Member, membersOf } from '../../people/index.ts'
import type { Tx } from '../../platform/database/database.ts'
import type { Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'

const DAY_MS = 86_400_000
const ROWS = 50
/** What the page of a customer has of the statement. */
const NEWEST = 8
export const LONGEST_SEARCH = 100

/** A customer in the list. */
export interface Listed {
  account: AccountRow
  wallets: (WalletRow & { isLow: boolean })[]
  sentToday: number
  /** When its programs last called. */
  seenAt: EpochMs | undefined
}

export interface Listing {
  items: Listed[]
  /** Where older ones begin; undefined on the last page. */
  next: string | undefined
}

/** The newest customers that a search finds. Of other tables, only the rows of those that are shown are read. */
export async function readListing(
  tx: Tx,
  { search, before, low }: { search: string; before: string | undefined; low: boolean },
  now: EpochMs,
): Promise<Listing> {
  const start = before !== undefined && isTicket(before) ? before : undefined
  const found = await newestAccounts(tx, { search, before: start, low, limit: ROWS + 1 })
  const accounts = found.slice(0, ROWS)
  const ids = accounts.map(({ id }) => id)
  const wallets = await walletsByAccount(tx, ids)
  const sent = await sentSince(
    tx,
    [...wallets.values()].flat().map(({ id }) => id),
    now - (now % DAY_MS),
  )
  const warnings = await warningsByWallet(tx)
  const uses = await lastUses(tx, ids)
  const items = accounts.map((account) => {
    const own = wallets.get(account.id) ?? []
    return {
      account,
      wallets: own.map((wallet) => ({
        ...wallet,
        isLow: available(wallet) < (warnings.get(wallet.id) ?? Number.NEGATIVE_INFINITY),
      })),
      sentToday: own.reduce((sum, { id }) => sum + (sent.get(id) ?? 0), 0),
      seenAt: uses.get(account.id),
    }
  })
  return { items, next: found.length > ROWS ? ids.at(-1) : undefined }
}

/** A customer with everything that its page shows. */
export interface Customer {
  account: AccountRow
  /** The first is what operators add money to. */
  wallets: (WalletRow & { warnBelow: Micros | undefined; sentToday: number; open: OpenMessages })[]
  lines: StatementLine[]
  senders: SenderRow[]
  seenAt: EpochMs | undefined
  people: Member[]
  clientIds: string[]
  keys: OwnKey[]
  connections: ConnectionView[]
  programs: ToolProgram[]
}

/** The account that an address names; undefined when there is none. */
export function accountAt({ database }: Pick<DeskParts, 'database'>, { c }: Visit) {
  return database.read((tx) => findAccount(tx, c.req.param('id') ?? ''))
}

export async function readCustomer(
  { database, clock, workOf }: DeskParts,
  account: AccountRow,
  { acting }: Visit,
): Promise<Customer> {
  const { id } = account
  const { operator } = workOf(acting)
  const now = clock.now()
  const read = await database.read(async (tx) => {
    const wallets = await walletsOf(tx, id)
    const sent = await sentSince(
      tx,
      wallets.map((wallet) => wallet.id),
      now - (now % DAY_MS),
    )
    const standing: Customer['wallets'] = []
    for (const wallet of wallets) {
      const warnBelow = await warningOf(tx, wallet.id)
      const open = await countOpen(tx, wallet.id)
      standing.push({ ...wallet, warnBelow, open, sentToday: sent.get(wallet.id) ?? 0 })
    }
    const [first] = wallets
    return {
      wallets: standing,
      lines: first ? await statementLines(tx, first, { since: undefined, limit: NEWEST }) : [],
      senders: await sendersOf(tx, id),
      seenAt: (await lastUses(tx, [id])).get(id),
      people: await membersOf(tx, id),
      clientIds: (await clientsOf(tx, id)).map((client) => client.id),
    }
  })
  return {
    account,
    ...read,
    keys: await operator.keys(id),
    connections: await operator.connections.list(id),
    programs: await operator.connections.programs(id),
  }
}
