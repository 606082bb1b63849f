import { findAccount } from '../../../accounts/index.ts'
import { ROLES } from '../../../accounts/people/index.ts'
import { operatorWords } from '../../../kernel/operator-contact.ts'
import { isCountry } from '../../../kernel/phone/numbering-plan.ts'
import { EMAIL_RULE, isEmail } from '../../../kernel/text/entered.ts'
import { goTo } from '../../../net/pages/reply.ts'
import type { By, Changed } from '../../../sign-in/portal/index.ts'
import { actorOf } from '../../../store/audit/index.ts'
import type { Role } from '../../../store/schema/schema.ts'
import type { Pages } from '../frame/pages.tsx'
import type { Page, Visit } from '../frame/visit.tsx'
import type { ConsoleParts } from '../parts.ts'
import { limitsIn } from './assistant-limits.tsx'
import { type PeopleView, peoplePage } from './people-page.tsx'

const PATH = '/people'
const PROVEN = { right: 'people', proven: true } as const

/** Where owners see the people of their account, invite others, and say what is required of them. */
export function mountPeople(pages: Pages, parts: ConsoleParts): void {
  const { people, invites, database, publicUrl, clock } = parts

  async function page(
    visit: Visit,
    more: Partial<Pick<PeopleView, 'link' | 'wrong' | 'typed'>> = {},
  ): Promise<Page> {
    const { c, person, form } = visit
    const { accountId, personId, name, wallet } = person
    const account = await database.read((tx) => findAccount(tx, accountId))
    if (!account) throw new Error(`there is no account ${accountId}`)
    const { link, wrong, typed } = more
    const view: PeopleView = {
      form,
      me: personId,
      name,
      currency: wallet.currency,
      invites,
      operator: parts.operator,
      now: clock.now(),
      ...(await people.list(accountId)),
      secondFactor: account.secondFactor,
      country: account.country,
      limits: { spend: account.assistantsSpend, messages: account.assistantsMessages },
      link,
      wrong,
      typed,
      done: c.req.method === 'GET' ? c.req.query('done') : undefined,
    }
    return {
      title: wrong === undefined ? 'People' : 'Error: People',
      place: 'people',
      middle: true,
      status: wrong === undefined ? 200 : 422,
      body: peoplePage(view),
    }
  }

  pages.show(PATH, 'people', (visit) => page(visit))

  pages.change(`${PATH}/invite`, PROVEN, async (visit, form) => {
    if (!invites) return page(visit, { wrong: `To invite people, ask ${operatorWords(parts.operator)}.` })
    const email = (form.get('email') ?? '').trim().toLowerCase()
    const role = roleIn(form)
    if (!isEmail(email)) return page(visit, { wrong: EMAIL_RULE, typed: { email, role } })
    if (role === undefined) return page(visit, { wrong: NO_ROLE, typed: { email, role } })
    const invited = await people.invite(byOf(visit), email, role)
    if (invited === 'not allowed') return page(visit, { wrong: NOT_ALLOWED })
    if (invited === 'in already') return page(visit, { wrong: `${email} is in this account already.` })
    return page(visit, { link: { email, url: `${publicUrl()}/invited#${invited.secret}` } })
  })

  pages.change(`${PATH}/withdraw`, PROVEN, async (visit, form) => {
    await people.withdraw(byOf(visit), form.get('email') ?? '')
    return goTo(`${PATH}?done=withdrawn`)
  })

  pages.change(`${PATH}/role`, PROVEN, async (visit, form) => {
    const role = roleIn(form)
    if (role === undefined) return page(visit, { wrong: NO_ROLE })
    return after(visit, await people.setRole(byOf(visit), form.get('person') ?? '', role), 'role')
  })

  pages.change(`${PATH}/remove`, PROVEN, async (visit, form) =>
    after(visit, await people.remove(byOf(visit), form.get('person') ?? ''), 'removed'),
  )

  pages.change(`${PATH}/factor`, PROVEN, async (visit, form) => {
    const required = form.get('required') === 'owner' ? 'owner' : 'optional'
    const changed = await people.requireFactor(byOf(visit), required)
    return goTo(changed ? `${PATH}?done=${required === 'owner' ? 'required' : 'optional'}` : PATH)
  })

  pages.change(`${PATH}/country`, PROVEN, async (visit, form) => {
    const country = form.get('country') ?? ''
    if (country !== '' && !isCountry(country))
      return page(visit, { wrong: 'Expected a country of the list.' })
    const changed = await people.setCountry(byOf(visit), country)
    return goTo(changed ? `${PATH}?done=country` : PATH)
  })

  pages.change(`${PATH}/limits`, PROVEN, async (visit, form) => {
    const read = limitsIn(form)
    if ('wrong' in read) return page(visit, read)
    const changed = await people.limitAssistants(byOf(visit), form.get('person') ?? undefined, read)
    return changed ? goTo(`${PATH}?done=limits`) : page(visit, { wrong: GONE })
  })

  function after(visit: Visit, changed: Changed, done: string): Promise<Page> | Response {
    if (changed === 'gone') return page(visit, { wrong: GONE })
    if (changed === 'last owner')
      return page(visit, { wrong: 'An account keeps an owner. Make somebody else an owner first.' })
    return goTo(changed === 'changed' ? `${PATH}?done=${done}` : PATH)
  }
}

const GONE = 'They are not in this account any more. Nothing was done.'
const NOT_ALLOWED = 'You are not an owner of this account any more. Nothing was done.'
const NO_ROLE = `Expected a role: ${ROLES.join(', ')}.`

function byOf({ person }: Visit): By {
  return { actor: actorOf(person.personId), accountId: person.accountId }
}

function roleIn(form: URLSearchParams): Role | undefined {
  return ROLES.find((role) => role === form.get('role'))
}
