import type { EpochMs } from '../../domain/ids.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { codeBox } from '../widgets/code.ts'
import { dayForm, wrongNote } from '../widgets/day-form.ts'
import { type Day, dayAt, isoDay } from '../widgets/days.ts'
import { type Standing, standingFigures } from './figures.ts'
import { type LedgerErrors, queryOf, type TypedLedgerFilter } from './ledger-filter.ts'
import { ledgerList } from './list.ts'
import type { LedgerPage, Uncharged } from './read.ts'

export interface WalletView {
  standing: Standing
  typed: TypedLedgerFilter
  cursor: string | undefined
  found: LedgerPage | { errors: LedgerErrors }
  now: EpochMs
  /** What the operator calls the account. */
  account: { id: string; name: string }
  /** Whether the person may use the controls of a sandbox. */
  mayBuild: boolean
  sandbox: boolean
}

const currencyNames = new Intl.DisplayNames('en', { type: 'currency' })

export function walletPage(view: WalletView): Markup {
  const { standing, typed, found, now } = view
  const wrong = 'errors' in found
  const errors = wrong ? found.errors : {}
  return markup`<div class="head"><h1>Wallet</h1><span class="soft roomy">${currencyNames.of(standing.currency)}</span>${!wrong && markup`<span class="end"><a class="button second" href="/wallet.csv${queryOf(typed)}">Export CSV</a></span>`}</div>
${standingFigures(standing)}
${standing.available === 0 ? howToAdd(view) : isLow(standing) && runsLow(view)}
<p class="soft">A send <span class="strong">holds</span> its price. Delivery <span class="strong">charges</span> it; any other end <span class="strong">gives it back</span> and leaves no line here. Each “before” is the “after” of the line below.</p>
${wrongNote('It is not clear which entries are meant, so none are shown.', errors)}
${choices(typed, errors, dayAt(now))}
${'errors' in found ? '' : entries(view, found)}`
}

function entries({ standing, typed, cursor, now }: WalletView, found: LedgerPage): Markup {
  const { items, next, uncharged } = found
  if (items.length === 0)
    return markup`<div class="sheet"><p>${nothing(standing, typed, uncharged)}</p></div>`
  return ledgerList({
    rows: items,
    currency: standing.currency,
    now,
    older: next && `/wallet${queryOf({ ...typed, cursor: next })}`,
    newest: cursor === undefined ? undefined : `/wallet${queryOf(typed)}`,
  })
}

function nothing({ entries }: Standing, { q }: TypedLedgerFilter, uncharged: Uncharged | undefined): Markup {
  const message = markup`<a href="/messages/${q}">this message</a>`
  if (uncharged === 'unknown') return markup`This account has no message <code>${q}</code>.`
  if (uncharged === 'held')
    return markup`The price of ${message} is held. It has a line here once it is delivered.`
  if (uncharged === 'given back')
    return markup`The price of ${message} was given back, so it has no line here.`
  return entries === 0 ? markup`No money was added yet.` : markup`Nothing was added or charged in these days.`
}

/** The chips are the days to today; other days and a ticket have a form. */
function choices(typed: TypedLedgerFilter, errors: LedgerErrors, today: Day): Markup {
  const chips = [
    { name: 'Everything', from: '' },
    { name: 'Today', from: isoDay(today) },
    { name: '7 days', from: isoDay(today - 6) },
    { name: '30 days', from: isoDay(today - 29) },
  ]
  const current = chips.find(({ from }) => from === typed.from && typed.to === '' && typed.q === '')
  const list = chips.map(
    (chip) =>
      markup`<li><a href="/wallet${queryOf({ q: '', from: chip.from, to: '' })}"${chip === current && markup` aria-current="true"`}>${chip.name}</a></li>`,
  )
  const ticket = { name: 'q', label: 'Ticket', value: typed.q, error: errors.q }
  return markup`<div class="choices"><ul class="chips" id="cursor" aria-label="Which entries">${list}</ul>${dayForm({ action: '/wallet', typed, errors, open: current === undefined, title: 'Days or ticket', extra: ticket })}</div>`
}

function isLow({ available, warnBelow }: Standing): boolean {
  return warnBelow !== undefined && available < warnBelow
}

function runsLow({ account }: WalletView): Markup {
  return markup`<div class="note warn"><p>The wallet runs low. Sends are refused when it is empty: ask the operator of this gateway to add money to the account <bdi>${account.name}</bdi>.</p></div>`
}

function howToAdd({ sandbox, account, standing, mayBuild }: WalletView): Markup {
  if (!sandbox || !mayBuild)
    return markup`<div class="note"><p>The wallet is empty. Ask the operator of this gateway to add money to the account <bdi>${account.name}</bdi>.</p></div>`
  return markup`<div class="note warn"><p>The wallet is empty. Add play money in the <a href="/sandbox">sandbox controls</a>, or with the command line where the gateway keeps its data in a file:</p>${codeBox('credit', `wigwag wallet credit ${account.id} --amount 50`)}<p class="soft">The amount is in ${standing.currency}.</p></div>`
}
