import type { AccountRow } from '../../accounts/index.ts'
import type { EpochMs } from '../../domain/ids.ts'
import type { StatementLine, WalletRow } from '../../money/index.ts'
import { listTime } from '../../pages/times.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page } from '../frame/visit.ts'
import { money } from '../widgets/money.ts'
import { pathOf } from './words.ts'

const WORDS = { credit: 'Added', debit: 'Taken back', charge: 'Charged' }

export interface StatementView {
  account: AccountRow
  wallet: WalletRow
  lines: readonly StatementLine[]
  /** Whether there are older ones. */
  hasMore: boolean
  /** What the address asked for. */
  asked: { since: string; before: string }
  /** Whether the time can't be read. */
  isWrong: boolean
  now: EpochMs
}

export function statementPage(view: StatementView): Page {
  const { account, wallet, lines, hasMore, asked, isWrong, now } = view
  const at = (query: Record<string, string>) => {
    const given = new URLSearchParams({ ...(asked.since !== '' && { since: asked.since }), ...query })
    return `${pathOf(account, '/statement')}${given.size === 0 ? '' : `?${given}`}`
  }
  const last = lines.at(-1)
  return {
    title: 'Statement',
    place: 'customers',
    status: isWrong ? 422 : 200,
    body: markup`<div class="head"><h1>Statement of <bdi>${account.name}</bdi></h1><span class="end"><a href="${pathOf(account)}">Back to the customer</a></span></div>
<form class="sheet" method="get" action="${pathOf(account, '/statement')}"><label for="since">Since</label><span class="hint" id="since-hint">6h, 2d, a day such as 2026-11-20, or a time in UTC; empty for everything</span>${isWrong && markup`<span class="wrong" id="since-error">Expected 6h, 2d, or a day, got “${asked.since}”.</span>`}<div class="together"><input class="box search" id="since" name="since" value="${asked.since}" aria-describedby="since-hint${isWrong && ' since-error'}"${isWrong && markup` aria-invalid="true"`} autocomplete="off"><button>Show</button></div></form>
${isWrong ? '' : lines.length === 0 ? markup`<section class="sheet"><p>Nothing was added, taken back or charged in that time.</p></section>` : markup`<section class="sheet flush wide-table" tabindex="0" role="group" aria-label="Entries">${entriesTable(lines, wallet, now)}${(hasMore || asked.before !== '') && markup`<div class="pages">${asked.before !== '' && markup`<a href="${at({})}">Newest entries</a>`}${hasMore && last && markup`<a class="end" href="${at({ before: String(last.seq) })}">Older entries</a>`}</div>`}</section>`}`,
  }
}

export function entriesTable(lines: readonly StatementLine[], { currency }: WalletRow, now: EpochMs): Markup {
  return markup`<table><caption class="unseen">Statement, newest first</caption><thead><tr><th scope="col">Time</th><th scope="col">What</th><th scope="col" class="num">Amount</th><th scope="col" class="num">Posted balance</th><th scope="col">Reference or ticket</th></tr></thead><tbody>${lines.map(
    ({ createdAt, kind, amount, balanceAfter, reference, messageId }) =>
      markup`<tr><td class="num left">${listTime(createdAt, now)}</td><td>${WORDS[kind]}</td><td class="num">${kind === 'credit' ? '+' : '−'} ${money(amount, currency)}</td><td class="num">${money(balanceAfter, currency)}</td><td>${reference === undefined ? messageId !== null && markup`<span class="mono small">${messageId}</span>` : markup`<bdi>${reference}</bdi>`}</td></tr>`,
  )}</tbody></table>`
}
