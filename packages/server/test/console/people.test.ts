import { describe, expect, it } from 'vitest'
import type { Role } from '../../src/store/schema/schema.ts'
import { createPerson, type Page } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { connect, ownerIdOf } from '../support/assistants.ts'
import { aPlace, ENGINES } from '../support/bench.ts'
import { BALANCE, callWith } from '../support/front.ts'
import { press, wordsOf } from './forms.ts'

const secretOn = ({ text }: Page) => /#(wi_[\w-]{43})/.exec(text)?.[1] ?? ''

/** The page to which a link leads, in a browser where nobody is signed in. */
async function follow({ url }: World, link: string) {
  const browser = createPerson()
  return { browser, page: await press(browser, await browser.visit(`${url}/invited`), '/invited', { link }) }
}

/** Lets somebody who has a sign-in into another account, which is open then. */
async function enter(world: World, { person, email }: Resident, account: string, role: Role): Promise<void> {
  const link = await world.gateway.people.invite(account, email, role)
  const page = await press(person, await person.visit(`${world.url}/invited`), '/invited', { link })
  await press(person, page, '/join/accept')
}

describe.each(ENGINES)('the people of an account, on %s', (engine) => {
  async function open() {
    const world = await openWorld({ database: await aPlace(engine), config: { rateLimit: undefined } })
    const acme = await world.resident('acme')
    const invite = async (person: typeof acme.person, email: string, role = 'viewer') =>
      press(person, await person.visit(`${world.url}/people`), '/people/invite', { email, role })
    return { world, acme, invite }
  }

  it('come by no link of an owner who was removed or is none any more', async () => {
    const { world, acme, invite } = await open()
    const { people } = world.gateway
    const links: string[] = []
    const copied = (await invite(acme.person, 'di@mail.example')).text
    expect(copied).toMatch(/<pre tabindex="0" id="link">http\S+<\/pre><button [^>]*data-copy="link"/)
    for (const name of ['bo', 'cy']) {
      const owner = await world.resident(name)
      await enter(world, owner, acme.accountId, 'owner')
      links.push(secretOn(await invite(owner.person, `${name}.private@mail.example`, 'owner')))
    }
    await people.remove(acme.accountId, 'bo@example.com')
    await people.setRole(acme.accountId, 'cy@example.com', 'developer')
    for (const link of links) {
      expect(link).toMatch(/^wi_/)
      expect((await follow(world, link)).page.status).toBe(410)
    }
    const { text } = await acme.person.visit(`${world.url}/people`)
    expect(text).not.toContain('private@mail.example')
  })

  it('are asked the same by a link, whether or not they sign in to another account', async () => {
    const { world, acme, invite } = await open()
    const { email, password } = await world.resident('known')
    const pages: string[] = []
    for (const each of [email, 'nobody@example.com']) {
      const { page } = await follow(world, secretOn(await invite(acme.person, each)))
      const same = page.text.replaceAll(each, 'EMAIL').replace(/name="form_ticket" value="[^"]+"/g, '')
      pages.push(same)
    }
    expect(pages[0]).toBe(pages[1])

    const { browser, page } = await follow(world, secretOn(await invite(acme.person, email)))
    const refused = await press(browser, page, '/join/password', { password: 'not their password' })
    expect([refused.status, refused.text.includes('This address signs in here already')]).toEqual([422, true])
    const signIn = await browser.visit(`${world.url}/sign-in?next=/join`)
    const back = await press(browser, signIn, '/sign-in', { email, password })
    const joined = await press(browser, back, '/join/accept')
    expect(wordsOf(await browser.visit(`${world.url}/accounts`)) + joined.url).toContain('acme')
  })
})

it('end their assistants in every account with a new password, unless they leave them connected', async () => {
  const world = await openWorld({ config: { rateLimit: undefined } })
  const { gateway, url } = world
  const acme = await world.resident('acme')
  const other = await world.account('other', 0)
  await enter(world, acme, other.accountId, 'sender')
  const me = await ownerIdOf(gateway, acme.accountId)
  const mine = [
    await connect(gateway, acme.accountId),
    await connect(gateway, other.accountId, 'only reading', me),
  ]
  const all = [...mine, await connect(gateway, other.accountId)]
  const statuses = () =>
    Promise.all(
      all.map(async ({ headers: { authorization } }) => {
        const { status } = await callWith(url, { authorization }, { path: BALANCE })
        return status
      }),
    )
  const change = async (values: Record<string, string>) =>
    press(acme.person, await acme.person.visit(`${url}/you`), '/you/password', values)
  await change({ new_password: 'a first long password', keep: 'assistants' })
  expect(await statuses()).toEqual([200, 200, 200])
  const done = await change({ new_password: 'a second long password' })
  expect(done.text).toContain('Your password is changed')
  expect(await statuses()).toEqual([401, 401, 200])
})
