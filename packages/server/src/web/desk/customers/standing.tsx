import type { AccountRow } from '../../../accounts/index.ts'
import { enteredReasonOrNone } from '../../../kernel/text/entered.ts'
import { countOpen } from '../../../messages/history/index.ts'
import { walletsOf } from '../../../money/index.ts'
import { field } from '../../../net/pages/forms.tsx'
import { goTo } from '../../../net/pages/reply.ts'
import { ending, hiddenFields, readFields } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, type Page, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { onCustomer } from './one-customer.tsx'
import { pathOf, some } from './words.tsx'

/** Suspending and restoring a customer. */
export function mountStanding(pages: Pages, { database, workOf }: DeskParts): void {
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
  pages.show(
    '/customers/:id/standing',
    ACT,
    onCustomer({ database }, (account, visit) => standing(account, visit)),
  )
  pages.change(
    '/customers/:id/standing',
    ACT,
    onCustomer({ database }, async (account, visit, form: URLSearchParams) => {
      const read = readFields(form, { reason: enteredReasonOrNone })
      if ('problems' in read) return standing(account, visit, read.problems.reason)
      const status = form.get('to') === 'active' ? 'active' : 'suspended'
      await workOf({ ...visit.acting, reason: read.values.reason }).operator.setStatus(account.id, status)
      return goTo(pathOf(account, `?done=${status}`))
    }),
  )
}

/** Suspends or restores, after saying what that does. */
function standingPage({ form }: Visit, account: AccountRow, open: number, problem?: string): Page {
  const isActive = account.status === 'active'
  const [verb, to] = isActive ? (['Suspend', 'suspended'] as const) : (['Restore', 'active'] as const)
  return {
    title: verb,
    place: 'customers',
    middle: true,
    status: problem === undefined ? 200 : 422,
    body: (
      <>
        <div class="head">
          <h1>
            {verb} <bdi>{account.name}</bdi>?
          </h1>
        </div>
        <section class="sheet narrow">
          <p>
            {isActive ? (
              <>
                From now on every request of its programs, its assistants and its people is refused, by every
                gateway. {some(open, 'message that is', 'messages that are')} scheduled or under way{' '}
                {open === 1 ? 'goes' : 'go'} on to the end. It can be restored at any time.
              </>
            ) : (
              'Its programs, its assistants and its people can do again what they could before.'
            )}
          </p>
          <form method="post" action={pathOf(account, '/standing')}>
            {hiddenFields(form, { to })}
            {field(
              { id: 'reason', label: 'Reason', hint: 'For the audit log; may be empty', error: problem },
              (ties) => (
                <input class="box" {...ties} name="reason" maxlength={500} autocomplete="off" />
              ),
            )}
            {ending(
              isActive ? (
                <button class="danger">Suspend this customer</button>
              ) : (
                <button>Restore this customer</button>
              ),
              pathOf(account),
            )}
          </form>
        </section>
      </>
    ),
  }
}
