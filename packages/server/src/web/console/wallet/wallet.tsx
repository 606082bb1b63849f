import { type Micros, toDecimal } from '@wigwag/contract'
import { Problem } from '../../../kernel/errors.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import type { OperatorContact } from '../../../kernel/operator-contact.ts'
import { DAY_MS } from '../../../kernel/time/spans.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { theOperator } from '../../../net/pages/operator.tsx'
import { instant } from '../../../net/server/paging.ts'
import { several } from '../../count.ts'
import { csvReply } from '../../files.ts'
import { codeBox } from '../../widgets/code.tsx'
import type { Pages } from '../frame/pages.tsx'
import type { Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { type Day, dayAt, dayForm, isoDay, wrongNote } from '../widgets/days.tsx'
import {
  type LedgerErrors,
  type LedgerLine,
  type LedgerPage,
  ledgerList,
  queryOf,
  readLedger,
  readLedgerFilter,
  type TypedLedgerFilter,
  type Uncharged,
  whatWas,
} from './ledger.tsx'
import { readStanding, type Standing, standingFigures } from './standing.tsx'

const ROWS = 60
/** Rows that a file is read by. */
const SLICE = 500

/** The wallet and its ledger, as a page and as a file. */
export function mountWallet(pages: Pages, parts: ConsoleParts): void {
  const { account, clock, sandbox, operator } = parts

  async function walletAnswer(
    { principal, person, may }: Visit,
    typed: TypedLedgerFilter,
    found: LedgerPage | { errors: LedgerErrors },
    cursor?: string,
  ) {
    const today = clock.now() - (clock.now() % DAY_MS)
    const body = walletPage({
      operator,
      refused: await account.refusals.countOf(principal.accountId, 'insufficient_funds', today),
      standing: await readStanding(parts, principal),
      typed,
      cursor,
      found,
      now: clock.now(),
      account: { id: person.accountId, name: person.name },
      mayBuild: may('build'),
      sandbox: sandbox !== undefined,
    })
    const status = 'errors' in found ? 422 : 200
    return { title: 'Wallet', place: 'wallet', middle: true, status, body } as const
  }

  pages.show('/wallet', 'read', async (visit) => {
    const typed = typedFilterOf(visit)
    const cursor = visit.c.req.query('cursor')
    const read = readLedgerFilter(typed)
    const found =
      'errors' in read
        ? read
        : await readLedger(parts, visit.principal, read.wanted, { cursor, limit: ROWS }).catch(asErrors)
    return walletAnswer(visit, typed, found, cursor)
  })

  pages.file('/wallet.csv', 'read', async (visit) => {
    const typed = typedFilterOf(visit)
    const read = readLedgerFilter(typed)
    if ('errors' in read) return walletAnswer(visit, typed, read)
    return csvReply<LedgerLine>({
      name: 'wallet.csv',
      head: ['time', 'what', 'ticket', 'to', 'amount', 'before', 'after', 'currency', 'reference'],
      read: (cursor) => readLedger(parts, visit.principal, read.wanted, { cursor, limit: SLICE }),
      line: (line) => lineOf(line, visit.principal.wallet.currency),
    })
  })
}

function typedFilterOf({ c }: Visit): TypedLedgerFilter {
  const query = (name: keyof TypedLedgerFilter) => c.req.query(name)?.trim() ?? ''
  return { q: query('q'), from: query('from'), to: query('to') }
}

/** Charges are negative, so that before and amount add up to after. */
function lineOf(line: LedgerLine, currency: string) {
  const { kind, amount, balanceBefore, balanceAfter, messageId, message, createdAt, reference } = line
  const added = kind === 'credit'
  return [
    instant(createdAt),
    whatWas(line).toLowerCase(),
    messageId ?? undefined,
    message?.recipient,
    signed(amount, added),
    toDecimal(balanceBefore),
    toDecimal(balanceAfter),
    currency,
    reference,
  ]
}

function signed(amount: Micros, added: boolean): number {
  return added ? toDecimal(amount) : -toDecimal(amount)
}

/** A cursor of another list is refused. */
function asErrors(error: unknown): { errors: LedgerErrors } {
  if (error instanceof Problem && error.code === 'invalid_value') {
    return { errors: { cursor: 'This is not the address of a page of this ledger.' } }
  }
  throw error
}

interface WalletView {
  operator: OperatorContact
  /** Requests to the API that were refused today since the wallet held too little. */
  refused: number
  standing: Standing
  typed: TypedLedgerFilter
  cursor: string | undefined
  found: LedgerPage | { errors: LedgerErrors }
  now: EpochMs
  /** Names the account to its operator. */
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
  return (
    <>
      <div class="head">
        <h1>Wallet</h1>
        <span class="soft roomy">{currencyNames.of(standing.currency)}</span>
        {!wrong && (
          <span class="end">
            <a class="button second" href={`/wallet.csv${queryOf(typed)}`}>
              Export CSV
            </a>
          </span>
        )}
      </div>
      {standingFigures(standing)}
      {view.refused > 0 && refusedToday(view)}
      {standing.available === 0 ? howToAdd(view) : isLow(standing) && runsLow(view)}
      <p class="soft">
        A send <span class="strong">holds</span> its price. Delivery <span class="strong">charges</span> it;
        any other end <span class="strong">releases it</span> and leaves no line here. Each “before” is the
        “after” of the line below.
      </p>
      {wrongNote('It is not clear which entries are meant, so none are shown.', errors)}
      {choices(typed, errors, dayAt(now))}
      {'errors' in found ? '' : entries(view, found)}
    </>
  )
}

function entries({ standing, typed, cursor, now, sandbox }: WalletView, found: LedgerPage): Markup {
  const { items, next, uncharged } = found
  if (items.length === 0)
    return (
      <div class="sheet">
        <p>{nothing(standing, typed, uncharged)}</p>
      </div>
    )
  return ledgerList({
    rows: items,
    currency: standing.currency,
    now,
    sandbox,
    older: next && `/wallet${queryOf({ ...typed, cursor: next })}`,
    newest: cursor === undefined ? undefined : `/wallet${queryOf(typed)}`,
  })
}

function nothing({ entries }: Standing, { q }: TypedLedgerFilter, uncharged: Uncharged | undefined): Markup {
  const message = <a href={`/messages/${q}`}>this message</a>
  if (uncharged === 'unknown')
    return (
      <>
        This account has no message <code>{q}</code>.
      </>
    )
  if (uncharged === 'held')
    return <>The price of {message} is held. It has a line here once it is delivered.</>
  if (uncharged === 'released') return <>The price of {message} was released, so it has no line here.</>
  return entries === 0 ? <>No money was added yet.</> : <>Nothing was added or charged in these days.</>
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
  const list = chips.map((chip) => (
    <li>
      <a
        href={`/wallet${queryOf({ q: '', from: chip.from, to: '' })}`}
        aria-current={chip === current ? 'true' : undefined}
      >
        {chip.name}
      </a>
    </li>
  ))
  const ticket = { name: 'q', label: 'Ticket', value: typed.q, error: errors.q }
  return (
    <div class="choices">
      <ul class="chips" id="cursor" aria-label="Which entries">
        {list}
      </ul>
      {dayForm({
        action: '/wallet',
        typed,
        errors,
        open: current === undefined,
        title: 'Days or ticket',
        extra: ticket,
      })}
    </div>
  )
}

function refusedToday({ refused, mayBuild }: WalletView): Markup {
  const text = `${several(refused, 'request')} ${refused === 1 ? 'was' : 'were'} refused today because the wallet held too little.`
  return (
    <div class="note bad">
      <p>
        {text} {mayBuild && <a href="/developers#refused">See them</a>}
      </p>
    </div>
  )
}

function isLow({ available, warnBelow }: Standing): boolean {
  return warnBelow !== undefined && available < warnBelow
}

function runsLow({ account, operator }: WalletView): Markup {
  return (
    <div class="note warn">
      <p>
        The wallet runs low. Sends are refused when it is empty: ask {theOperator(operator)} to add money to
        the account <bdi>{account.name}</bdi>.
      </p>
    </div>
  )
}

function howToAdd({ sandbox, account, operator, standing, mayBuild }: WalletView): Markup {
  if (!sandbox || !mayBuild)
    return (
      <div class="note">
        <p>
          The wallet is empty. Ask {theOperator(operator)} to add money to the account{' '}
          <bdi>{account.name}</bdi>.
        </p>
      </div>
    )
  return (
    <div class="note warn">
      <p>
        The wallet is empty. Add play money in the <a href="/sandbox">sandbox controls</a>, or with the
        command line where the gateway keeps its data in a file:
      </p>
      {codeBox('credit', `wigwag wallet credit ${account.id} --amount 50`)}
      <p class="soft">The amount is in {standing.currency}.</p>
    </div>
  )
}
