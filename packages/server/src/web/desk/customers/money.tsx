import type { Micros } from '@wigwag/contract'
import type { AccountRow } from '../../../accounts/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { available } from '../../../kernel/money/ledger.ts'
import {
  enteredAmountAboveZero,
  enteredReasonOrNone,
  enteredReference,
} from '../../../kernel/text/entered.ts'
import {
  type Booked,
  type Booking,
  entryOf,
  MOST_IN_WALLET,
  type Referred,
  type WalletRow,
} from '../../../money/index.ts'
import type { Markup } from '../../../net/pages/markup.ts'
import { dayAndTime } from '../../times.tsx'
import { money } from '../../widgets/money.tsx'
import {
  type Entered,
  ending,
  hiddenFields,
  type Problems,
  readFields,
  textBoxes,
  typedIn,
} from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, type Page, PROVEN, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { noCustomer, onCustomer, walletOf } from './one-customer.tsx'
import { showCustomer } from './page.tsx'
import { pathOf } from './words.tsx'

/** Adding and taking back money. */
export function mountMoney(pages: Pages, parts: DeskParts): void {
  const { database, workOf } = parts
  pages.show(
    '/customers/:id/money',
    ACT,
    onCustomer(parts, async (account, visit) => {
      const query = new URL(visit.c.req.url).searchParams
      const wallet = await walletOf(parts, account)
      if (!wallet) return noCustomer()
      const typed = typedIn(query, MONEY_FIELDS)
      if (!query.has('amount')) return moneyPage(account, wallet, typed)
      const read = readBooking(query)
      if ('problems' in read) return moneyPage(account, wallet, typed, read.problems)
      const { values: booking } = read
      const earlier = await database.read((tx) => entryOf(tx, wallet.id, booking.reference))
      const problems = problemOf(booking, wallet, earlier)
      return problems
        ? moneyPage(account, wallet, typed, problems)
        : confirmPage(visit, account, wallet, { booking, earlier })
    }),
  )
  pages.change(
    '/customers/:id/money',
    PROVEN,
    onCustomer(parts, async (account, visit, form: URLSearchParams) => {
      const wallet = await walletOf(parts, account)
      if (!wallet) return noCustomer()
      const refused = (problems: Problems) =>
        moneyPage(account, wallet, typedIn(form, MONEY_FIELDS), problems)
      const read = readBooking(form)
      if ('problems' in read) return refused(read.problems)
      const { kind, amount, reference, reason } = read.values
      const { operator } = workOf({ ...visit.acting, reason })
      try {
        const booked = await operator[kind](account.id, amount, reference)
        if (booked.result === 'short') return refused({ amount: tooMuch(booked.wallet, booked.currency) })
        if (booked.result === 'other')
          return refused({ reference: `${reference} is the reference of another entry: use another one.` })
        return showCustomer(parts, account, visit, { done: bookedSentence(read.values, booked) })
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        return refused({ amount: `Expected less: a wallet can hold at most ${MOST_IN_WALLET}.` })
      }
    }),
  )
}

interface EnteredBooking extends Booking {
  reference: string
  reason: string | undefined
}

const MONEY_FIELDS = ['kind', 'amount', 'reference', 'reason']
const DONE = { credit: 'added', debit: 'taken back' } as const

/** The reference is not optional here: with it, a form that is sent twice is booked once. */
function readBooking(form: Pick<URLSearchParams, 'get'>): Entered<EnteredBooking> {
  return readFields<EnteredBooking>(form, {
    kind: (text) => (text === 'debit' ? 'debit' : 'credit'),
    amount: (text) => enteredAmountAboveZero(text.trim()),
    reference: enteredReference,
    reason: enteredReasonOrNone,
  })
}

/** Errors of a booking that are known before it is tried. */
function problemOf(
  { kind, amount, reference }: EnteredBooking,
  wallet: WalletRow,
  earlier: Referred | undefined,
): Problems | undefined {
  const { currency } = wallet
  if (earlier) {
    const was = earlier.kind === 'credit' ? 'credit' : 'debit'
    if (was !== kind || earlier.amount !== amount)
      return {
        reference: `${reference} is the reference of ${money(earlier.amount, currency)} ${DONE[was]}: use another one.`,
      }
    return undefined
  }
  if (kind === 'debit' && amount > available(wallet)) return { amount: tooMuch(wallet, currency) }
  if (kind === 'credit' && !Number.isSafeInteger(wallet.posted + amount))
    return { amount: `Expected less: a wallet can hold at most ${MOST_IN_WALLET}.` }
  return undefined
}

function tooMuch(wallet: Pick<WalletRow, 'posted' | 'held'>, currency: string): string {
  const held = wallet.held > 0 ? `, because ${money(wallet.held, currency)} are held for messages` : ''
  return `Expected an amount of at most ${money(available(wallet), currency)}${held}.`
}

function moneyPage(account: AccountRow, wallet: WalletRow, typed: Problems, problems: Problems = {}): Page {
  const isDebit = typed.kind === 'debit'
  const input = textBoxes(typed, problems)
  return {
    title: 'Add or take back money',
    place: 'customers',
    middle: true,
    status: Object.keys(problems).length > 0 ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>Add or take back money</h1>
        </div>
        <section class="sheet narrow">
          <p>
            <bdi>{account.name}</bdi> can spend {money(available(wallet), wallet.currency)} now. The next page
            says what it would be then; nothing is done before that.
          </p>
          <form method="get" action={pathOf(account, '/money')}>
            <fieldset class="plain-set">
              <legend class="label">What to do</legend>
              <label class="choice">
                <input type="radio" name="kind" value="credit" checked={!isDebit} />
                <span>Add money</span>
              </label>
              <label class="choice">
                <input type="radio" name="kind" value="debit" checked={isDebit} />
                <span>Take money back, but nothing that is held</span>
              </label>
            </fieldset>
            {input('amount', `Amount, ${wallet.currency}`, 'Such as 50 or 0.045', {
              inputmode: 'decimal',
              required: true,
            })}
            {input(
              'reference',
              'Reference',
              'Such as the number of a payment, which the customer reads. The same twice is booked once.',
              { maxlength: 100, required: true },
            )}
            {input('reason', 'Reason', 'For the audit log; may be empty', { maxlength: 500 })}
            {ending(<button>Go on</button>, pathOf(account))}
          </form>
        </section>
      </>
    ),
  }
}

/** The balance before and after, before it is done. */
function confirmPage(
  visit: Visit,
  account: AccountRow,
  wallet: WalletRow,
  { booking, earlier }: { booking: EnteredBooking; earlier: Referred | undefined },
): Page {
  const { kind, amount, reference, reason } = booking
  const { currency } = wallet
  const before = available(wallet)
  const after = (kind === 'credit' ? before + amount : before - amount) as Micros
  const fields = { kind, amount: visit.c.req.query('amount')?.trim() ?? '', reference, reason: reason ?? '' }
  return {
    title: 'Add or take back money',
    place: 'customers',
    middle: true,
    body: (
      <>
        <div class="head">
          <h1>
            {kind === 'credit' ? 'Add' : 'Take back'} {money(amount, currency)}?
          </h1>
        </div>
        <section class="sheet narrow">
          {earlier ? (
            <>
              <p>
                {money(amount, currency)} were {DONE[kind]} with the reference <bdi>{reference}</bdi> at{' '}
                {dayAndTime(earlier.createdAt)} already. Nothing is to be done.
              </p>
              <p>
                <a class="button second" href={pathOf(account)}>
                  Back to <bdi>{account.name}</bdi>
                </a>
              </p>
            </>
          ) : (
            <>
              <dl class="facts">
                <div>
                  <dt>Customer</dt>
                  <dd>
                    <bdi>{account.name}</bdi>
                  </dd>
                </div>
                <div>
                  <dt>Reference</dt>
                  <dd>
                    <bdi>{reference}</bdi>
                  </dd>
                </div>
                <div>
                  <dt>Balance now</dt>
                  <dd>{money(before, currency)}</dd>
                </div>
                <div>
                  <dt>Then</dt>
                  <dd class="strong">{money(after, currency)}</dd>
                </div>
              </dl>
              <form method="post" action={pathOf(account, '/money')}>
                {hiddenFields(visit.form, fields)}
                {ending(
                  <button>
                    {kind === 'credit' ? 'Add' : 'Take back'} {money(amount, currency)}
                  </button>,
                  pathOf(account),
                )}
              </form>
            </>
          )}
        </section>
      </>
    ),
  }
}

/** The booking that this press or an earlier one made, in a sentence. */
function bookedSentence(
  booking: EnteredBooking,
  { result, wallet, currency, at }: Booked & { currency: string; at?: EpochMs },
): Markup {
  const { kind, amount, reference } = booking
  const balance = money(available(wallet), currency)
  if (result === 'repeated' && at !== undefined)
    return (
      <>
        {money(amount, currency)} were {DONE[kind]} with the reference <bdi>{reference}</bdi> at{' '}
        {dayAndTime(at)} already. Nothing was changed; the balance is {balance}.
      </>
    )
  return (
    <>
      {money(amount, currency)} {DONE[kind]}, reference <bdi>{reference}</bdi>. The balance is {balance} now.
    </>
  )
}
