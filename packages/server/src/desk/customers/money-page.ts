import type { Micros } from '@wigwag/contract'
import type { AccountRow } from '../../accounts/index.ts'
import { enteredAmountAboveZero, enteredReasonOrNone, enteredReference } from '../../domain/entered.ts'
import type { EpochMs } from '../../domain/ids.ts'
import { available } from '../../domain/money/ledger.ts'
import {
  type Booked,
  type Booking,
  MOST_IN_WALLET,
  type Referred,
  type WalletRow,
} from '../../money/index.ts'
import { dayAndTime } from '../../pages/times.ts'
import { field } from '../../platform/pages/forms.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import type { Page, Visit } from '../frame/visit.ts'
import { type Entered, type Problems, readFields } from '../widgets/fields.ts'
import { ending, hiddenFields } from '../widgets/form.ts'
import { money } from '../widgets/money.ts'
import { pathOf } from './words.ts'

export interface EnteredBooking extends Booking {
  reference: string
  reason: string | undefined
}

export const MONEY_FIELDS = ['kind', 'amount', 'reference', 'reason']
const DONE = { credit: 'added', debit: 'taken back' } as const

/** The reference is not optional here: with it, a form that is sent twice is booked once. */
export function readBooking(form: Pick<URLSearchParams, 'get'>): Entered<EnteredBooking> {
  return readFields<EnteredBooking>(form, {
    kind: (text) => (text === 'debit' ? 'debit' : 'credit'),
    amount: (text) => enteredAmountAboveZero(text.trim()),
    reference: enteredReference,
    reason: enteredReasonOrNone,
  })
}

/** What of a booking can't be, before it is tried. */
export function problemOf(
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

export function tooMuch(wallet: Pick<WalletRow, 'posted' | 'held'>, currency: string): string {
  const held = wallet.held > 0 ? `, because ${money(wallet.held, currency)} are held for messages` : ''
  return `Expected an amount of at most ${money(available(wallet), currency)}${held}.`
}

export function moneyPage(
  account: AccountRow,
  wallet: WalletRow,
  typed: Problems,
  problems: Problems = {},
): Page {
  const isDebit = typed.kind === 'debit'
  const input = (name: string, label: string, hint: string, more: Markup) =>
    field(
      { id: name, label, hint, error: problems[name] },
      (ties) =>
        markup`<input class="box" ${ties} name="${name}" value="${typed[name] ?? ''}" autocomplete="off"${more}>`,
    )
  return {
    title: 'Add or take back money',
    place: 'customers',
    middle: true,
    status: Object.keys(problems).length > 0 ? 422 : 200,
    body: markup`<div class="head"><h1>Add or take back money</h1></div>
<section class="sheet narrow"><p><bdi>${account.name}</bdi> can spend ${money(available(wallet), wallet.currency)} now. The next page says what it would be then; nothing is done before that.</p>
<form method="get" action="${pathOf(account, '/money')}">
<fieldset class="plain-set"><legend class="label">What to do</legend><label class="choice"><input type="radio" name="kind" value="credit"${!isDebit && markup` checked`}><span>Add money</span></label><label class="choice"><input type="radio" name="kind" value="debit"${isDebit && markup` checked`}><span>Take money back, but nothing that is held</span></label></fieldset>
${input('amount', `Amount, ${wallet.currency}`, 'Such as 50 or 0.045', markup` inputmode="decimal" required`)}
${input('reference', 'Reference', 'Such as the number of a payment. The same twice is booked once.', markup` maxlength="100" required`)}
${input('reason', 'Reason', 'For the audit log; may be empty', markup` maxlength="500"`)}
${ending(markup`<button>Go on</button>`, pathOf(account))}</form></section>`,
  }
}

/** The balance before and after, before it is done. */
export function confirmPage(
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
    body: markup`<div class="head"><h1>${kind === 'credit' ? 'Add' : 'Take back'} ${money(amount, currency)}?</h1></div>
<section class="sheet narrow">${
      earlier
        ? markup`<p>${money(amount, currency)} were ${DONE[kind]} with the reference <bdi>${reference}</bdi> at ${dayAndTime(earlier.createdAt)} already. Nothing is to be done.</p><p><a class="button second" href="${pathOf(account)}">Back to <bdi>${account.name}</bdi></a></p>`
        : markup`<dl class="facts"><div><dt>Customer</dt><dd><bdi>${account.name}</bdi></dd></div><div><dt>Reference</dt><dd><bdi>${reference}</bdi></dd></div><div><dt>Balance now</dt><dd>${money(before, currency)}</dd></div><div><dt>Then</dt><dd class="strong">${money(after, currency)}</dd></div></dl>
<form method="post" action="${pathOf(account, '/money')}">${hiddenFields(visit.form, fields)}${ending(markup`<button>${kind === 'credit' ? 'Add' : 'Take back'} ${money(amount, currency)}</button>`, pathOf(account))}</form>`
    }</section>`,
  }
}

/** What was booked now, or by an earlier press. */
export function bookedSentence(
  booking: EnteredBooking,
  { result, wallet, currency, at }: Booked & { currency: string; at?: EpochMs },
): Markup {
  const { kind, amount, reference } = booking
  const balance = money(available(wallet), currency)
  if (result === 'repeated' && at !== undefined)
    return markup`${money(amount, currency)} were ${DONE[kind]} with the reference <bdi>${reference}</bdi> at ${dayAndTime(at)} already. Nothing was changed; the balance is ${balance}.`
  return markup`${money(amount, currency)} ${DONE[kind]}, reference <bdi>${reference}</bdi>. The balance is ${balance} now.`
}
