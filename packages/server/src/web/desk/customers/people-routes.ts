import { type AccountRow, OperatorError } from '../../../accounts/index.ts'
import { ROLES } from '../../../accounts/people/index.ts'
import { enteredEmail } from '../../../kernel/text/entered.ts'
import { goTo } from '../../../net/pages/reply.ts'
import type { Role } from '../../../store/schema/schema.ts'
import { readFields } from '../frame/form.tsx'
import type { Pages } from '../frame/pages.ts'
import { LOOK, type Page, PROVEN, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { onCustomer } from './one-customer.tsx'
import { type PeopleView, peoplePage } from './people-page.tsx'
import { pathOf } from './words.tsx'

/** The people of a customer. `wigwag person` does the same on the machine. */
export function mountPeople(pages: Pages, parts: DeskParts): void {
  const { workOf, consoleUrl } = parts
  const path = '/customers/:id/people'

  async function page(
    account: AccountRow,
    visit: Visit,
    more: Pick<PeopleView, 'link' | 'wrong'> = {},
  ): Promise<Page> {
    const people = await workOf(visit.acting).people.list(account.id)
    const done = visit.c.req.method === 'GET' ? visit.c.req.query('done') : undefined
    return peoplePage({ account, visit, ...people, done, ...more })
  }

  /** Shows the page again when the request is not possible any more. */
  async function tried(
    account: AccountRow,
    visit: Visit,
    work: () => Promise<Page | Response>,
  ): Promise<Page | Response> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return page(account, visit, { wrong: sentence(error.message) })
    }
  }

  const act = (
    what: string,
    work: (account: AccountRow, visit: Visit, form: URLSearchParams) => Promise<Page | Response>,
  ) =>
    pages.change(
      `${path}/${what}`,
      PROVEN,
      onCustomer(parts, (account, visit, form: URLSearchParams) =>
        tried(account, visit, () => work(account, visit, form)),
      ),
    )
  const after = (account: AccountRow, done: string) => goTo(pathOf(account, `/people?done=${done}`))

  async function linked(account: AccountRow, visit: Visit, email: string, make: () => Promise<string>) {
    if (!consoleUrl)
      return page(account, visit, { wrong: 'Nobody can sign in here: WIGWAG_PUBLIC_URL is not set.' })
    const url = `${consoleUrl()}/invited#${await make()}`
    const signsInTo = await workOf(visit.acting).people.signsInElsewhere(account.id, email)
    return page(account, visit, { link: { email, url, signsInTo } })
  }

  pages.show(
    path,
    LOOK,
    onCustomer(parts, (account, visit) => page(account, visit)),
  )

  act('invite', async (account, visit, form) => {
    const read = readFields(form, { email: (text) => enteredEmail(text.trim()), role: roleIn })
    if ('problems' in read) return page(account, visit, { wrong: read.problems.email ?? read.problems.role })
    const { email, role } = read.values
    return linked(account, visit, email, () => workOf(visit.acting).people.invite(account.id, email, role))
  })
  act('withdraw', async (account, visit, form) => {
    await workOf(visit.acting).people.withdraw(account.id, form.get('email') ?? '')
    return after(account, 'withdrawn')
  })
  act('role', async (account, visit, form) => {
    const read = readFields(form, { role: roleIn })
    if ('problems' in read) return page(account, visit, { wrong: read.problems.role })
    await workOf(visit.acting).people.setRole(account.id, form.get('email') ?? '', read.values.role)
    return after(account, 'role')
  })
  act('remove', async (account, visit, form) => {
    await workOf(visit.acting).people.remove(account.id, form.get('email') ?? '')
    return after(account, 'removed')
  })
  act('reset', async (account, visit, form) => {
    const email = form.get('email') ?? ''
    const assistants = form.get('keep') === 'assistants' ? 'keep' : 'end'
    return linked(account, visit, email, () =>
      workOf(visit.acting).people.reset(account.id, email, assistants),
    )
  })
  act('factor', async (account, visit, form) => {
    const required = form.get('required') === 'on'
    await workOf(visit.acting).people.requireFactor(account.id, required)
    return after(account, required ? 'on' : 'off')
  })
}

function roleIn(text: string): Role {
  const role = ROLES.find((one) => one === text)
  if (!role) throw new Error(`expected a role: ${ROLES.join(', ')}`)
  return role
}

/** Of a command's message, what is right at the desk too. */
function sentence(message: string): string {
  const [said = ''] = message.split(';')
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. Nothing was done.`
}
