import { type AccountRow, isErased } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { available } from '../../domain/money/ledger.ts'
import { countOf } from '../../pages/count.ts'
import { icon } from '../../pages/icons.ts'
import { listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page } from '../frame/visit.ts'
import { money } from '../widgets/money.ts'
import { type Listed, type Listing, LONGEST_SEARCH } from './read.ts'
import { pathOf, stateOf } from './words.ts'

export interface ListView extends Listing {
  search: string
  /** Where the page begins; undefined on the first. */
  before: string | undefined
  /** Whether it is those alone whose wallet runs low. */
  low: boolean
  now: EpochMs
  mayAct: boolean
}

export function listPage(view: ListView): Page {
  const { search, low, mayAct, items } = view
  return {
    title: 'Customers',
    place: 'customers',
    body: markup`<div class="head"><h1>${low ? 'Customers whose wallet runs low' : 'Customers'}</h1>${mayAct && markup`<span class="end"><a class="button" href="/customers/new">New customer</a></span>`}</div>
<form class="sheet" method="get" action="/customers" role="search" aria-label="Customers"><label for="q">Search</label><span class="hint" id="q-hint">A part of the name or e-mail, or an account ID, client ID or sender ID</span><div class="together"><input class="box search" id="q" name="q" type="search" value="${search}" maxlength="${LONGEST_SEARCH}" aria-describedby="q-hint" autocomplete="off" spellcheck="false"><button>Search</button>${low && markup`<input type="hidden" name="low" value="yes">`}${(search !== '' || low) && markup`<a href="/customers">Show all</a>`}</div></form>
${items.length === 0 ? markup`<section class="sheet"><p>${search === '' ? (low ? 'No wallet runs low.' : 'There is no customer yet.') : markup`Nothing fits “<bdi>${search}</bdi>”.`}</p></section>` : list(view)}`,
  }
}

function list({ items, next, before, search, low, now }: ListView): Markup {
  const of = (query: Record<string, string>) => {
    const given = new URLSearchParams({
      ...{ ...(search !== '' && { q: search }), ...(low && { low: 'yes' }) },
      ...query,
    })
    return given.size === 0 ? '/customers' : `/customers?${given}`
  }
  return markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Customers"><table class="customers"><caption class="unseen">Customers, newest first</caption><thead><tr><th scope="col">Customer</th><th scope="col" class="num">Balance</th><th scope="col" class="num">Held</th><th scope="col" class="num">Sent today</th><th scope="col" class="num">Last seen</th><th scope="col">State</th></tr></thead><tbody>${items.map((item) => line(item, now))}</tbody></table>
${(next !== undefined || before !== undefined) && markup`<div class="pages">${before !== undefined && markup`<a href="${of({})}">Newest customers</a>`}${next !== undefined && markup`<a class="end" href="${of({ before: next })}">Older customers</a>`}</div>`}</section>`
}

function line({ account, wallets, sentToday, seenAt }: Listed, now: EpochMs): Markup {
  const amounts = (of: (wallet: Listed['wallets'][number]) => Markup) =>
    wallets.map((wallet) => markup`<div>${of(wallet)}</div>`)
  const balance = (wallet: Listed['wallets'][number]) =>
    markup`${wallet.isLow && markup`<span class="bad strong">low </span>`}${money(available(wallet), wallet.currency)}`
  return markup`<tr><th scope="row" class="plain">${nameOf(account)}</th><td class="num">${amounts(balance)}</td><td class="num">${amounts(({ held, currency }) => markup`${money(held, currency)}`)}</td><td class="num">${countOf(sentToday)}</td><td class="num">${seenAt === undefined ? 'never' : listTime(seenAt, now)}</td><td>${stateOf(account, now)}</td></tr>`
}

function nameOf(account: AccountRow): Markup {
  if (isErased(account))
    return markup`<a href="${pathOf(account)}">${icon('broken')}<span class="mono small">${account.id}</span></a>`
  return markup`<a class="strong" href="${pathOf(account)}"><bdi>${account.name}</bdi></a><br><span class="soft small"><bdi>${account.email}</bdi></span>`
}
