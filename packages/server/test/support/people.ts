import type { Gateway } from '../../src/gateway/compose.ts'
import type { Role } from '../../src/store/schema/schema.ts'
import { createPerson, type Person } from '../assistants/oauth/person.ts'
import { press } from '../console/forms.ts'

const PASSWORD = 'a long enough password'

/** Lets somebody into an account, by the link that an operator gives them; they are signed in. */
export async function joinAs(
  { gateway, url }: { gateway: Pick<Gateway, 'people'>; url: string },
  account: string,
  { email, role }: { email: string; role: Role },
): Promise<Person> {
  const link = await gateway.people.invite(account, email, role)
  const person = createPerson()
  const page = await press(person, await person.visit(`${url}/invited`), '/invited', { link })
  const done = await press(person, page, '/join/password', { password: PASSWORD })
  if (!person.cookies.has('wigwag_portal')) throw new Error(`not in: ${done.status} ${done.text}`)
  return person
}
