import {
  type AccountOrder,
  type AccountRow,
  countAccounts,
  isErased,
  lastUses,
  newestAccounts,
  orderedAccounts,
} from '../../../accounts/index.ts'
import { type EpochMs, isTicket } from '../../../kernel/ids.ts'
import { available } from '../../../kernel/money/ledger.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import { sentSince } from '../../../messages/index.ts'
import { type WalletRow, walletsByAccount, warningsByWallet } from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import type { Tx } from '../../../store/database.ts'
import { countOf } from '../../count.ts'
import { icon } from '../../icons.tsx'
import { listTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import { num, tableHead } from '../../widgets/table.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { pathOf, stateOf } from './words.tsx'

export function mountList(pages: Pages, { database, clock }: DeskParts): void {
  pages.show('/customers', LOOK, async ({ c, operator }) => {
    const search = (c.req.query('q') ?? '').trim().slice(0, LONGEST_SEARCH)
    const before = c.req.query('before')
    const low = c.req.query('low') === 'yes'
    const order = ORDERS.find((one) => one === c.req.query('order'))
    const status = STATES.find((one) => one === c.req.query('state'))
    const asked: Asked = { search, before, low, order, status, page: pageIn(c.req.query('page')) }
    const now = clock.now()
    const listing = await database.read((tx) => readListing(tx, asked, now))
    return listPage({ ...listing, ...asked, now, mayAct: operator.role === 'act' })
  })
}

const ORDERS = ['name', 'balance', 'seen'] as const satisfies readonly AccountOrder[]
const STATES = ['active', 'suspended'] as const
/** A page further on costs as much as all before it. */
const MOST_PAGES = 2_000

function pageIn(typed: string | undefined): number {
  const page = /^\d{1,4}$/.test(typed ?? '') ? Number(typed) : 1
  return Math.min(Math.max(page, 1), MOST_PAGES)
}

/** The query of the page. */
interface Asked {
  search: string
  /** Where a page of the newest begins; undefined on the first. */
  before: string | undefined
  /** Whether it is those alone whose wallet runs low. */
  low: boolean
  /** Undefined for the newest first. */
  order: AccountOrder | undefined
  status: AccountRow['status'] | undefined
  /** Of another order. */
  page: number
}

interface ListView extends Listing, Asked {
  now: EpochMs
  mayAct: boolean
}

function listPage(view: ListView): Page {
  const { search, low, mayAct, items } = view
  return {
    title: 'Customers',
    place: 'customers',
    body: (
      <>
        <div class="head">
          <h1>{low ? 'Customers whose wallet runs low' : 'Customers'}</h1>
          <span class="soft">
            {view.count > MOST_COUNTED ? `more than ${countOf(MOST_COUNTED)}` : countOf(view.count)}
          </span>
          {mayAct && (
            <span class="end">
              <a class="button" href="/customers/new">
                New customer
              </a>
            </span>
          )}
        </div>
        <form class="sheet" method="get" action="/customers" role="search" aria-label="Customers">
          <label for="q">Search</label>
          <span class="hint" id="q-hint">
            A part of the name or e-mail, or an account ID, client ID or sender ID
          </span>
          <div class="together">
            <input
              class="box search"
              id="q"
              name="q"
              type="search"
              value={search}
              maxlength={LONGEST_SEARCH}
              aria-describedby="q-hint"
              autocomplete="off"
              spellcheck={false}
            />
            {choice('order', 'Order', view.order, [
              ['', 'Newest first'],
              ['name', 'By name'],
              ['balance', 'Least balance first'],
              ['seen', 'Last seen first'],
            ])}
            {choice('state', 'State', view.status, [
              ['', 'In any state'],
              ['active', 'Active'],
              ['suspended', 'Suspended'],
            ])}
            <button>Show</button>
            {low && <input type="hidden" name="low" value="yes" />}
            {(search !== '' || low || view.status !== undefined) && <a href="/customers">Show all</a>}
          </div>
        </form>
        {items.length === 0 ? (
          <section class="sheet">
            <p>
              {search === '' ? (
                low ? (
                  'No wallet runs low.'
                ) : (
                  'There is no customer yet.'
                )
              ) : (
                <>
                  Nothing fits “<bdi>{search}</bdi>”.
                </>
              )}
            </p>
          </section>
        ) : (
          list(view)
        )}
      </>
    ),
  }
}

/** A choice beside the search. */
function choice(
  name: string,
  label: string,
  chosen: string | undefined,
  options: readonly (readonly [string, string])[],
): Markup {
  return (
    <select class="box short" name={name} aria-label={label}>
      {options.map(([value, words]) => (
        <option value={value} selected={value === (chosen ?? '')}>
          {words}
        </option>
      ))}
    </select>
  )
}

function list({ items, next, before, search, low, order, status, page, hasMore, now }: ListView): Markup {
  const of = (query: Record<string, string>) => {
    const given = new URLSearchParams({
      ...(search !== '' && { q: search }),
      ...(low && { low: 'yes' }),
      ...(order !== undefined && { order }),
      ...(status !== undefined && { state: status }),
      ...query,
    })
    return given.size === 0 ? '/customers' : `/customers?${given}`
  }
  return (
    <section class="sheet flush wide-table" tabindex={0} role="group" aria-label="Customers">
      <table class="customers">
        <caption class="unseen">Customers</caption>
        {tableHead('Customer', num('Balance'), num('Held'), num('Sent today'), num('Last seen'), 'State')}
        <tbody>{items.map((item) => line(item, now))}</tbody>
      </table>
      {order !== undefined && (page > 1 || hasMore) && (
        <div class="pages">
          {page > 1 && <a href={of({ page: String(page - 1) })}>Before</a>}
          {hasMore && (
            <a class="end" href={of({ page: String(page + 1) })}>
              Further on
            </a>
          )}
        </div>
      )}
      {order === undefined && (next !== undefined || before !== undefined) && (
        <div class="pages">
          {before !== undefined && <a href={of({})}>Newest customers</a>}
          {next !== undefined && (
            <a class="end" href={of({ before: next })}>
              Older customers
            </a>
          )}
        </div>
      )}
    </section>
  )
}

function line({ account, wallets, sentToday, seenAt }: Listed, now: EpochMs): Markup {
  const amounts = (of: (wallet: Listed['wallets'][number]) => Markup) =>
    wallets.map((wallet) => <div>{of(wallet)}</div>)
  const balance = (wallet: Listed['wallets'][number]) => (
    <>
      {wallet.isLow && <span class="bad strong">low </span>}
      {money(available(wallet), wallet.currency)}
    </>
  )
  return (
    <tr>
      <th scope="row" class="plain">
        {nameOf(account)}
      </th>
      <td class="num">{amounts(balance)}</td>
      <td class="num">
        {amounts(({ held, currency }) => (
          <>{money(held, currency)}</>
        ))}
      </td>
      <td class="num">{countOf(sentToday)}</td>
      <td class="num">{seenAt === undefined ? 'never' : listTime(seenAt, now)}</td>
      <td>{stateOf(account, now)}</td>
    </tr>
  )
}

function nameOf(account: AccountRow): Markup {
  if (isErased(account))
    return (
      <a href={pathOf(account)}>
        {icon('broken')}
        <span class="mono small">{account.id}</span>
      </a>
    )
  return (
    <>
      <a class="strong" href={pathOf(account)}>
        <bdi>{account.name}</bdi>
      </a>
      <br />
      <span class="soft small">
        <bdi>{account.email}</bdi>
      </span>
    </>
  )
}

const ROWS = 50
const LONGEST_SEARCH = 100

/** A customer in the list. */
interface Listed {
  account: AccountRow
  wallets: (WalletRow & { isLow: boolean })[]
  sentToday: number
  /** When its programs last called. */
  seenAt: EpochMs | undefined
}

interface Listing {
  items: Listed[]
  /** Where older ones begin; undefined on the last page. */
  next: string | undefined
  /** Whether there are more in another order. */
  hasMore: boolean
  /** All that the filter finds, counted up to one more than {@link MOST_COUNTED}. */
  count: number
}

const MOST_COUNTED = 100_000

/** A page of the customers that a search finds. Of other tables, only the rows of those that are shown are read. */
async function readListing(
  tx: Tx,
  { search, before, low, order, status, page }: Asked,
  now: EpochMs,
): Promise<Listing> {
  const start = before !== undefined && isTicket(before) ? before : undefined
  const filter = { search, low, status }
  const found =
    order === undefined
      ? await newestAccounts(tx, { ...filter, before: start, limit: ROWS + 1 })
      : await orderedAccounts(tx, { ...filter, order, skip: ROWS * (page - 1), limit: ROWS + 1 })
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
  const hasMore = found.length > ROWS
  const count = await countAccounts(tx, filter, MOST_COUNTED + 1)
  return { items, next: hasMore ? ids.at(-1) : undefined, hasMore, count }
}
