import { enteredAmountAboveZero } from '../../domain/entered.ts'
import { entryOf, MOST_IN_WALLET } from '../../money/index.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { ACT, PROVEN } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import type { DeskParts } from '../parts.ts'
import { type Problems, readFields, typedIn } from '../widgets/fields.ts'
import {
  bookedSentence,
  confirmPage,
  MONEY_FIELDS,
  moneyPage,
  problemOf,
  readBooking,
  tooMuch,
} from './money-page.ts'
import { noCustomer, type One } from './one-customer.ts'
import { pathOf } from './words.ts'

/** Adding and taking back money, and when a wallet is low. */
export function mountMoney(pages: Pages, { database, workOf }: DeskParts, { on, show, walletOf }: One): void {
  pages.show(
    '/customers/:id/money',
    ACT,
    on(async (account, visit) => {
      const query = new URL(visit.c.req.url).searchParams
      const wallet = await walletOf(account)
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
    on(async (account, visit, form: URLSearchParams) => {
      const wallet = await walletOf(account)
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
        return show(account, visit, { done: bookedSentence(read.values, booked) })
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        return refused({ amount: `Expected less: a wallet can hold at most ${MOST_IN_WALLET}.` })
      }
    }),
  )

  pages.change(
    '/customers/:id/warn',
    ACT,
    on(async (account, visit, form: URLSearchParams) => {
      const below = (text: string) => (text.trim() === '' ? undefined : enteredAmountAboveZero(text.trim()))
      const read = readFields(form, { below })
      if ('problems' in read)
        return show(account, visit, { wrong: read.problems, typed: typedIn(form, ['below']) })
      await workOf(visit.acting).operator.warn(account.id, read.values.below)
      return goTo(pathOf(account, '?done=warn'))
    }),
  )
}
