import type { AccountRow } from '../../accounts/index.ts'
import { sentSince } from '../../messages/index.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { eraseConsequences } from '../../privacy/index.ts'
import { ACT, PROVEN } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import type { Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import type { Problems } from '../widgets/fields.ts'
import { createErasures } from './erasures.ts'
import type { One } from './one-customer.ts'
import { erasedPage, erasePage } from './standing-page.ts'
import { pathOf } from './words.ts'

/** Erasing a customer, after its consequences were shown. */
export function mountErase(pages: Pages, parts: DeskParts, { on }: One): void {
  const { database, clock, workOf } = parts
  const erasures = createErasures(parts)

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
}
