import type { Micros } from '@wigwag/contract'
import {
  type AccountRow,
  clientsOf,
  findAccount,
  isErased,
  lastUses,
  type OwnKey,
  type RefusalsOfHour,
  refusalsSince,
  type SenderRow,
  sendersOf,
  type ToolProgram,
} from '../../../accounts/index.ts'
import { type Member, membersOf } from '../../../accounts/people/index.ts'
import type { ConnectionView } from '../../../assistants/index.ts'
import { type EpochMs, epochMs } from '../../../kernel/ids.ts'
import { available } from '../../../kernel/money/ledger.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import { countOpen, type OpenMessages } from '../../../messages/history/index.ts'
import { type DayTotals, sentSince, totalsBetween } from '../../../messages/index.ts'
import {
  type StatementLine,
  statementLines,
  type WalletRow,
  walletsOf,
  warningOf,
} from '../../../money/index.ts'
import { type EraseConsequences, eraseConsequences } from '../../../operate/privacy/index.ts'
import { money } from '../../widgets/money.tsx'
import { type Page, refusal, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { some } from './words.tsx'

/** Work on the customer that the address names. */
export function onCustomer<Rest extends unknown[]>(
  { database }: Pick<DeskParts, 'database'>,
  work: (account: AccountRow, visit: Visit, ...rest: Rest) => Promise<Page | Response>,
): (visit: Visit, ...rest: Rest) => Promise<Page | Response> {
  return async (visit, ...rest) => {
    const account = await database.read((tx) => findAccount(tx, visit.c.req.param('id') ?? ''))
    if (!account) return noCustomer()
    if (!isErased(account)) return work(account, visit, ...rest)
    return erasedPage(account, await database.read((tx) => eraseConsequences(tx, account.id)))
  }
}

/** The wallet that operators add money to. */
export async function walletOf(
  { database }: Pick<DeskParts, 'database'>,
  { id }: AccountRow,
): Promise<WalletRow | undefined> {
  const [wallet] = await database.read((tx) => walletsOf(tx, id))
  return wallet
}

export function noCustomer(): Page {
  return refusal(404, {
    title: 'There is no such customer',
    text: 'No account has this ID or e-mail.',
    link: { href: '/customers', text: 'See the customers' },
  })
}

/** While it is erased, and after. */
export function erasedPage(account: AccountRow, consequences: EraseConsequences, failure?: string): Page {
  const isDone = isErased(account)
  const wallets = consequences.wallets.map((wallet) => (
    <div>
      <dt>In the books</dt>
      <dd>{money(available(wallet), wallet.currency)}</dd>
    </div>
  ))
  return {
    title: isDone ? 'Erased' : 'Erasing',
    place: 'customers',
    middle: true,
    status: failure === undefined ? 200 : 409,
    ...(!isDone && failure === undefined && { headers: { refresh: '3' } }),
    body: (
      <>
        <div class="head">
          <h1>
            {isDone
              ? 'This customer is erased'
              : failure === undefined
                ? 'It is being erased'
                : 'It was not erased'}
          </h1>
        </div>
        <section class="sheet">
          <p>
            {isDone ? (
              <>
                Its messages, its keys and who it belongs to are deleted. Its ledger, its totals and the ids
                in its audit entries stay.
              </>
            ) : (
              (failure ?? (
                <>
                  {some(consequences.messages, 'message')} are left to be deleted. This page looks again every
                  three seconds; you may close it.
                </>
              ))
            )}
          </p>
          {isDone && (
            <dl class="facts">
              <div>
                <dt>Account ID</dt>
                <dd class="mono">{account.id}</dd>
              </div>
              {wallets}
            </dl>
          )}
          <p>
            <a href="/customers">All customers</a>
          </p>
        </section>
      </>
    ),
  }
}

/** Statement lines on a customer's page. */
const NEWEST = 8

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
  /** Of the last 24 hours, and of the last seven days. */
  sent: { day: DayTotals[]; week: DayTotals[] }
  programs: ToolProgram[]
  /** Of the last seven days. */
  refusals: RefusalsOfHour[]
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
    const sentIn = async (ms: number) => {
      const totals: DayTotals[] = []
      for (const wallet of wallets)
        totals.push(...(await totalsBetween(tx, wallet.id, epochMs(Math.max(0, now - ms)), now)))
      return totals
    }
    return {
      wallets: standing,
      lines: first ? await statementLines(tx, first, { since: undefined, limit: NEWEST }) : [],
      senders: await sendersOf(tx, id),
      seenAt: (await lastUses(tx, [id])).get(id),
      people: await membersOf(tx, id),
      sent: { day: await sentIn(DAY_MS), week: await sentIn(7 * DAY_MS) },
      refusals: await refusalsSince(tx, id, now - 7 * DAY_MS),
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
