import { expect, it } from 'vitest'
import { openWorld } from '../assistants/oauth/world.ts'
import { press } from './forms.ts'

it('takes the e-mail addresses that every other form takes, and no others', async () => {
  const { url, resident } = await openWorld()
  const { person } = await resident('ama')
  const page = await person.visit(`${url}/people`)
  const invite = (email: string) => press(person, page, '/people/invite', { email, role: 'viewer' })
  for (const email of [
    'ada',
    'ada"@acme.example',
    'ada@acme.example@acme.example',
    `a@${'a.'.repeat(8_000)}@`,
  ]) {
    const refused = await invite(email)
    expect([email, refused.status]).toEqual([email, 422])
    expect(refused.text).toContain('Expected an e-mail address, such as ops@acme.example.')
  }
  expect((await invite(' Ada@Acme.example ')).text).toContain('<bdi>ada@acme.example</bdi>')
})
