import { type AccountRow, isErased, KEEP_MS, type KeyKind, OperatorError } from '../../accounts/index.ts'
import { enteredAmountAboveZero, enteredReason } from '../../domain/entered.ts'
import { readSince } from '../../domain/since.ts'
import { countOpen } from '../../history/index.ts'
import { sentSince } from '../../messages/index.ts'
import { entryOf, MOST_IN_WALLET, statementLines, type WalletRow, walletsOf } from '../../money/index.ts'
import { errorPage } from '../../platform/pages/error.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { goTo, pageReply } from '../../platform/pages/reply.ts'
import { createBeginExport, eraseConsequences } from '../../privacy/index.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { type Problems, readFields, typedIn } from '../widgets/fields.ts'
import { createErasures } from './erasures.ts'
import { exportReply } from './export.ts'
import { listPage } from './list-page.ts'
import {
  bookedSentence,
  confirmPage,
  MONEY_FIELDS,
  moneyPage,
  problemOf,
  readBooking,
  tooMuch,
} from './money-page.ts'
import { EMPTY, newPage, readNew, secretsPage } from './new-page.ts'
import { type CustomerView, customerPage, KEPT, rotatedPage } from './page.ts'
import { accountAt, LONGEST_SEARCH, readCustomer, readListing } from './read.ts'
import { erasedPage, erasePage, standingPage } from './standing-page.ts'
import { statementPage } from './statement-page.ts'
import { pathOf } from './words.ts'

const ROWS = 50
const LOOK = { right: 'look' } as const
const ACT = { right: 'act' } as const
const PROVEN = { right: 'act', provenWithinMinutes: 10 } as const

/** The customers: a list, and a page of each with everything that an operator does to it. */
export function mountCustomers(pages: Pages, parts: DeskParts): void {
  const { database, clock, workOf, config } = parts
  const erasures = createErasures(parts)

  /** Work on the customer that the address names. */
  const on =
    <Rest extends unknown[]>(
      work: (account: AccountRow, visit: Visit, ...rest: Rest) => Promise<Page | Response>,
    ) =>
    async (visit: Visit, ...rest: Rest): Promise<Page | Response> => {
      const account = await accountAt(parts, visit)
      if (!account) return nobody()
      return isErased(account) ? erased(account) : work(account, visit, ...rest)
    }
  const erased = async (account: AccountRow) =>
    erasedPage(account, await database.read((tx) => eraseConsequences(tx, account.id)))

  const show = async (
    account: AccountRow,
    visit: Visit,
    more: Pick<CustomerView, 'done' | 'wrong' | 'typed'> = {},
  ): Promise<Page> => {
    const customer = await readCustomer(parts, account, visit)
    const done = more.done ?? DONE[visit.c.req.query('done') ?? '']
    return customerPage({
      ...{ customer, visit, now: clock.now(), rateLimit: config.rateLimit },
      ...more,
      done: more.wrong ? undefined : done,
    })
  }

  pages.show('/customers', LOOK, async ({ c, operator }) => {
    const search = (c.req.query('q') ?? '').trim().slice(0, LONGEST_SEARCH)
    const before = c.req.query('before')
    const now = clock.now()
    const listing = await database.read((tx) => readListing(tx, { search, before }, now))
    return listPage({ ...listing, search, before, now, mayAct: operator.role === 'act' })
  })

  pages.show('/customers/new', ACT, async (visit) => newPage(visit, EMPTY))
  pages.change('/customers/new', PROVEN, async (visit, form) => {
    const typed = typedIn(form, ['name', 'email', 'currency', 'balance', 'senders'])
    const read = readNew(form)
    if ('problems' in read) return newPage(visit, typed, read.problems)
    try {
      return secretsPage(read.values, await workOf(visit.acting).operator.createAccount(read.values))
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      const email = `There is a customer with ${read.values.email} already. If you have just made it and missed its secrets, replace them on its page.`
      return newPage(visit, typed, { email })
    }
  })

  pages.show('/customers/:id', LOOK, on(show))

  pages.show(
    '/customers/:id/statement',
    LOOK,
    on(async (account, { c }) => {
      const asked = { since: (c.req.query('since') ?? '').trim(), before: c.req.query('before') ?? '' }
      const since = asked.since === '' ? undefined : readSince(asked.since)
      const isWrong = asked.since !== '' && since === undefined
      const now = clock.now()
      return database.read(async (tx) => {
        const [wallet] = await walletsOf(tx, account.id)
        if (!wallet) return nobody()
        const before = /^\d{1,15}$/.test(asked.before) ? Number(asked.before) : undefined
        const lines = isWrong
          ? []
          : await statementLines(tx, wallet, { since: since?.(now), before, limit: ROWS + 1 })
        const hasMore = lines.length > ROWS
        return statementPage({ account, wallet, lines: lines.slice(0, ROWS), hasMore, asked, isWrong, now })
      })
    }),
  )

  pages.show(
    '/customers/:id/money',
    ACT,
    on(async (account, visit) => {
      const query = new URL(visit.c.req.url).searchParams
      const wallet = await walletOf(account)
      if (!wallet) return nobody()
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
      if (!wallet) return nobody()
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

  const standing = async (account: AccountRow, visit: Visit, problem?: string) => {
    const open = await database.read(async (tx) => {
      let sum = 0
      for (const { id } of await walletsOf(tx, account.id)) {
        const { pending, scheduled } = await countOpen(tx, id)
        sum += pending + scheduled
      }
      return sum
    })
    return standingPage(visit, account, open, problem)
  }
  pages.show('/customers/:id/standing', ACT, on(standing))
  pages.change(
    '/customers/:id/standing',
    ACT,
    on(async (account, visit, form: URLSearchParams) => {
      const read = readFields(form, {
        reason: (text) => (text.trim() === '' ? undefined : enteredReason(text)),
      })
      if ('problems' in read) return standing(account, visit, read.problems.reason)
      const status = form.get('to') === 'active' ? 'active' : 'suspended'
      await workOf({ ...visit.acting, reason: read.values.reason }).operator.setStatus(account.id, status)
      return goTo(pathOf(account, `?done=${status}`))
    }),
  )

  pages.change(
    '/customers/:id/keys/rotate',
    PROVEN,
    on(async (account, visit, form: URLSearchParams) => {
      const { operator } = workOf(visit.acting)
      const [kind, current] = [kindIn(form), form.get('current') ?? '']
      const keep = KEPT.find((each) => each.keep === form.get('keep'))?.keep ?? 'P1D'
      const keepMs = KEEP_MS[keep]
      const rotate = {
        async client() {
          const made = await operator.rotateSecret(account.id, keepMs, current)
          return { secret: made.clientSecret, until: made.previousUntil }
        },
        async wallet() {
          const made = await operator.rotateWalletToken(account.id, keepMs, current)
          return { secret: made.walletToken, until: made.previousUntil }
        },
        async callback() {
          const made = await operator.rotateCallbackSecret(account.id, current)
          return { secret: made.callbackSecret, until: made.previousUntil }
        },
      }
      try {
        const { secret, until } = await rotate[kind]()
        const isOver = kind !== 'callback' && keepMs === 0
        const customer = await readCustomer(parts, account, visit)
        return rotatedPage(customer, { kind, secret, until: isOver ? undefined : until })
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        return madeAlready(account)
      }
    }),
  )
  pages.change(
    '/customers/:id/keys/end',
    ACT,
    on(async (account, visit, form: URLSearchParams) => {
      await unlessOver(() => workOf(visit.acting).operator.endKey(account.id, form.get('key') ?? ''))
      return goTo(pathOf(account, '?done=key'))
    }),
  )
  pages.change(
    '/customers/:id/connections/end',
    ACT,
    on(async (account, visit, form: URLSearchParams) => {
      const { connections } = workOf(visit.acting).operator
      await unlessOver(() => connections.end(account.id, form.get('connection') ?? ''))
      return goTo(pathOf(account, '?done=connection'))
    }),
  )

  pages.file(
    '/customers/:id/export',
    ACT,
    on(async (account, visit) =>
      exportReply(database, await createBeginExport(workOf(visit.acting))(account.id)),
    ),
  )

  const erase = async (account: AccountRow, visit: Visit, problems?: Problems, typed?: string) => {
    const { consequences, sent } = await database.read(async (tx) => {
      const found = await eraseConsequences(tx, account.id)
      const totals = await sentSince(
        tx,
        found.wallets.map(({ id }) => id),
        0,
      )
      return { consequences: found, sent: [...totals.values()].reduce((sum, one) => sum + one, 0) }
    })
    const running = erasures.of(account.id)
    if (running && !problems) return erasedPage(account, consequences, running.failure)
    return erasePage(visit, {
      ...{ account, consequences, sent, now: clock.now() },
      ...(problems && { problems }),
      ...(typed !== undefined && { typed }),
    })
  }
  pages.show(
    '/customers/:id/erase',
    ACT,
    on((account, visit) => erase(account, visit)),
  )
  pages.change(
    '/customers/:id/erase',
    PROVEN,
    on(async (account, visit, form: URLSearchParams) => {
      const name = form.get('name') ?? ''
      const { open, wallets } = await database.read((tx) => eraseConsequences(tx, account.id))
      const options = {
        despiteBalance: form.get('despiteBalance') === 'yes',
        despiteOpen: form.get('despiteOpen') === 'yes',
      }
      const problems = {
        ...(name.trim() !== account.name && { name: `Expected ${account.name}, as it is written here.` }),
        ...(wallets.some(({ posted }) => posted > 0) &&
          !options.despiteBalance && { despiteBalance: 'Expected a mark here, because money is left.' }),
        ...(open > 0 &&
          !options.despiteOpen && { despiteOpen: 'Expected a mark here, because messages are open.' }),
      }
      if (account.status === 'active' || Object.keys(problems).length > 0)
        return erase(account, visit, account.status === 'active' ? undefined : problems, name)
      await erasures.begin(workOf(visit.acting), account.id, options)
      return goTo(pathOf(account, '/erase'))
    }),
  )

  async function walletOf({ id }: AccountRow): Promise<WalletRow | undefined> {
    const [wallet] = await database.read((tx) => walletsOf(tx, id))
    return wallet
  }
}

const DONE: Readonly<Record<string, Markup | undefined>> = {
  warn: markup`The threshold is saved.`,
  suspended: markup`It is suspended: every request of it is refused.`,
  active: markup`It is active.`,
  key: markup`The old key stops working within a second.`,
  connection: markup`Its assistants have lost that access.`,
}

function kindIn(form: URLSearchParams): KeyKind {
  const kind = form.get('kind')
  return kind === 'wallet' || kind === 'callback' ? kind : 'client'
}

/** What somebody else, or the same press, has done already needs no doing. */
async function unlessOver(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
  }
}

function nobody(): Response {
  const page = errorPage({
    title: 'There is no such customer',
    text: 'No account has this ID or e-mail.',
    link: { href: '/customers', text: 'See the customers' },
  })
  return pageReply(page, { status: 404 })
}

function madeAlready(account: AccountRow): Response {
  const page = errorPage({
    title: 'It was replaced already',
    text: 'A new secret was made meanwhile, and is not shown again. If it is lost, replace it once more. Nothing was done now.',
    link: { href: pathOf(account), text: 'Back to the customer' },
  })
  return pageReply(page, { status: 409 })
}
