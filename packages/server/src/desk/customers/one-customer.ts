import { type AccountRow, isErased } from '../../accounts/index.ts'
import { type WalletRow, walletsOf } from '../../money/index.ts'
import { type Markup, markup } from '../../platform/pages/markup.ts'
import { eraseConsequences } from '../../privacy/index.ts'
import { refusal } from '../frame/refusal.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { type CustomerView, customerPage } from './page.ts'
import { accountAt, readCustomer } from './read.ts'
import { erasedPage } from './standing-page.ts'

export type One = ReturnType<typeof createOne>

/** What the pages of one customer have in common. */
export function createOne(parts: DeskParts) {
  const { database, clock, config } = parts

  /** Work on the customer that the address names. */
  const on =
    <Rest extends unknown[]>(
      work: (account: AccountRow, visit: Visit, ...rest: Rest) => Promise<Page | Response>,
    ) =>
    async (visit: Visit, ...rest: Rest): Promise<Page | Response> => {
      const account = await accountAt(parts, visit)
      if (!account) return noCustomer()
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

  async function walletOf({ id }: AccountRow): Promise<WalletRow | undefined> {
    const [wallet] = await database.read((tx) => walletsOf(tx, id))
    return wallet
  }

  return { on, show, walletOf }
}

const DONE: Readonly<Record<string, Markup | undefined>> = {
  warn: markup`The threshold is saved.`,
  suspended: markup`It is suspended: every request of it is refused.`,
  active: markup`It is active.`,
  key: markup`The old key stops working within a second.`,
  connection: markup`Its assistants have lost that access.`,
}

/** What is answered about a customer that is not there. */
export function noCustomer(): Response {
  return refusal(404, {
    title: 'There is no such customer',
    text: 'No account has this ID or e-mail.',
    link: { href: '/customers', text: 'See the customers' },
  })
}
