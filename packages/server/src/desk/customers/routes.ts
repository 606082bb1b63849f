import { type AccountRow, OperatorError } from '../../accounts/index.ts'
import { enteredReasonOrNone } from '../../domain/entered.ts'
import { readSince } from '../../domain/since.ts'
import { countOpen } from '../../history/index.ts'
import { statementLines, walletsOf } from '../../money/index.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { createBeginExport } from '../../privacy/index.ts'
import { ACT, LOOK, PROVEN } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { readFields, typedIn } from '../widgets/fields.ts'
import { mountErase } from './erase-routes.ts'
import { exportReply } from './export.ts'
import { mountKeys } from './keys-routes.ts'
import { listPage } from './list-page.ts'
import { mountMoney } from './money-routes.ts'
import { EMPTY, newPage, readNew, secretsPage } from './new-page.ts'
import { createOne, noCustomer } from './one-customer.ts'
import { mountPeople } from './people-routes.ts'
import { LONGEST_SEARCH, readListing } from './read.ts'
import { standingPage } from './standing-page.ts'
import { statementPage } from './statement-page.ts'
import { mountView } from './view-routes.ts'
import { pathOf } from './words.ts'

const ROWS = 50

/** The customers: a list, and a page of each with everything that an operator does to it. */
export function mountCustomers(pages: Pages, parts: DeskParts): void {
  const { database, clock, workOf, consoleUrl, config } = parts
  const one = createOne(parts)
  const { on, show } = one

  pages.show('/customers', LOOK, async ({ c, operator }) => {
    const search = (c.req.query('q') ?? '').trim().slice(0, LONGEST_SEARCH)
    const before = c.req.query('before')
    const low = c.req.query('low') === 'yes'
    const now = clock.now()
    const listing = await database.read((tx) => readListing(tx, { search, before, low }, now))
    return listPage({ ...listing, search, before, low, now, mayAct: operator.role === 'act' })
  })

  pages.show('/customers/new', ACT, async (visit) => newPage(visit, EMPTY))
  pages.change('/customers/new', PROVEN, async (visit, form) => {
    const typed = typedIn(form, ['name', 'email', 'currency', 'balance', 'senders'])
    const read = readNew(form)
    if ('problems' in read) return newPage(visit, typed, read.problems)
    try {
      const { operator, people } = workOf(visit.acting)
      const secrets = await operator.createAccount(read.values)
      const { accountId } = secrets
      const secret = consoleUrl && (await people.firstLink(accountId, read.values.email))
      const link = secret && `${consoleUrl()}/invited#${secret}`
      const signsInTo = await people.signsInElsewhere(accountId, read.values.email)
      return secretsPage(read.values, secrets, { link, signsInTo })
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
        if (!wallet) return noCustomer()
        const before = /^\d{1,15}$/.test(asked.before) ? Number(asked.before) : undefined
        const lines = isWrong
          ? []
          : await statementLines(tx, wallet, { since: since?.(now), before, limit: ROWS + 1 })
        const hasMore = lines.length > ROWS
        return statementPage({ account, wallet, lines: lines.slice(0, ROWS), hasMore, asked, isWrong, now })
      })
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
      const read = readFields(form, { reason: enteredReasonOrNone })
      if ('problems' in read) return standing(account, visit, read.problems.reason)
      const status = form.get('to') === 'active' ? 'active' : 'suspended'
      await workOf({ ...visit.acting, reason: read.values.reason }).operator.setStatus(account.id, status)
      return goTo(pathOf(account, `?done=${status}`))
    }),
  )

  pages.change(
    '/customers/:id/export',
    { ...PROVEN, isFile: true },
    on(async (account, visit) => {
      const id = await createBeginExport(workOf(visit.acting))(account.id)
      return exportReply(database, id, config.showCarriers)
    }),
  )

  mountMoney(pages, parts, one)
  mountKeys(pages, parts, one)
  mountPeople(pages, parts, one)
  mountErase(pages, parts, one)
  mountView(pages, parts, one)
}
