import { type AccountRow, OperatorError } from '../../../accounts/index.ts'
import { enteredEmail, enteredName, enteredReasonOrNone } from '../../../kernel/text/entered.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { ending, hiddenFields, type Problems, readFields, textBoxes, typedIn } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, type Page, PROVEN, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { onCustomer } from './one-customer.tsx'
import { pathOf } from './words.tsx'

/** The name and the address of a customer. `wigwag account edit` does the same on the machine. */
export function mountEdit(pages: Pages, parts: DeskParts): void {
  const path = '/customers/:id/edit'
  pages.show(
    path,
    ACT,
    onCustomer(parts, async (account, visit) =>
      editPage(account, visit, { name: account.name, email: account.email }),
    ),
  )
  pages.change(
    path,
    PROVEN,
    onCustomer(parts, async (account, visit, form: URLSearchParams) => {
      const typed = typedIn(form, ['name', 'email', 'reason'])
      const read = readFields(form, {
        name: enteredName,
        email: (text) => enteredEmail(text.trim()),
        reason: enteredReasonOrNone,
      })
      if ('problems' in read) return editPage(account, visit, typed, read.problems)
      const { reason, ...facts } = read.values
      try {
        await parts.workOf({ ...visit.acting, reason }).operator.edit(account.id, facts)
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        return editPage(account, visit, typed, { email: `${error.message}.` })
      }
      return goTo(pathOf(account, '?done=edited'))
    }),
  )
}

function editPage(account: AccountRow, { form }: Visit, typed: Problems, problems: Problems = {}): Page {
  const input = textBoxes(typed, problems)
  return {
    title: 'Name and address',
    place: 'customers',
    middle: true,
    status: Object.keys(problems).length > 0 ? 422 : 200,
    body: (
      <>
        <div class="head">
          <h1>
            Name and address of <bdi>{account.name}</bdi>
          </h1>
        </div>
        <section class="sheet narrow">
          <p>
            The address is the account’s own: you and commands find it by that. Its people sign in with
            theirs, which stay as they are; they are on <a href={pathOf(account, '/people')}>People</a>.
          </p>
          <form method="post" action={pathOf(account, '/edit')}>
            {hiddenFields(form, {})}
            {input('name', 'Name', 'What the customer is called here and in the console', {
              maxlength: 100,
              required: true,
            })}
            {input('email', 'E-mail of the account', 'Each account has its own', {
              spellcheck: false,
              required: true,
            })}
            {input('reason', 'Reason', 'For the audit log; may be empty', { maxlength: 500 })}
            {ending(<button>Save</button>, pathOf(account))}
          </form>
        </section>
      </>
    ),
  }
}
