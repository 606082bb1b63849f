import { describe, expect, it } from 'vitest'
import { createPerson } from '../assistants/oauth/person.ts'
import { press } from '../console/forms.ts'
import { connect } from '../support/assistants.ts'
import { ENGINES } from '../support/bench.ts'
import { BALANCE, callWith } from '../support/front.ts'
import { joinAs } from '../support/people.ts'
import { type Desk, openDeskOn } from './desk.ts'

const linkOn = (text: string) => /#(wi_[\w-]{43})/.exec(text)?.[1] ?? ''

async function join({ url }: Desk, secret: string) {
  const browser = createPerson()
  const page = await press(browser, await browser.visit(`${url}/invited`), '/invited', { link: secret })
  return { browser, page: await press(browser, page, '/join/password', { password: 'a long password' }) }
}

describe.each(ENGINES)('the people of a customer, on %s', (engine) => {
  it('are let in, given another role, begin anew and are taken out', async () => {
    const { desk, person, visit } = await openDeskOn(engine)
    const { accountId } = await desk.account('acme', 0)
    const path = `/customers/${accountId}/people`
    const post = async (what: string, fields: Record<string, string>) =>
      press(person, await visit(path), `${path}/${what}`, fields)
    const made = await post('invite', { email: 'bo@acme.example', role: 'viewer' })
    const bo = await join(desk, linkOn(made.text))
    expect(bo.page.url).toBe(`${desk.url}/messages`)
    // The link is used up, and the page says who is in.
    expect((await join(desk, linkOn(made.text)).catch((error: Error) => error)) instanceof Error).toBe(true)
    expect((await visit(path)).text).toContain('<bdi>bo@acme.example</bdi>')

    expect((await post('role', { email: 'bo@acme.example', role: 'developer' })).text).toContain('in force')
    expect((await bo.browser.visit(`${desk.url}/keys`)).status).toBe(200)
    const reset = await post('reset', { email: 'bo@acme.example' })
    expect((await bo.browser.visit(`${desk.url}/keys`)).url).toContain('/sign-in')
    const again = await join(desk, linkOn(reset.text))
    expect(again.page.url).toBe(`${desk.url}/messages`)
    expect((await post('remove', { email: 'bo@acme.example' })).text).toContain('no way in any more')
    expect((await again.browser.visit(`${desk.url}/keys`)).url).toContain('/sign-in')

    const last = await post('remove', { email: 'acme@example.com' })
    expect([last.status, last.text.includes('only owner')]).toEqual([422, true])
    const rows = await desk.gateway.database.read(({ run }) =>
      run<{ action: string }>(
        `SELECT action FROM audit WHERE actor = 'operator:ada' AND action LIKE 'person.%' ORDER BY id`,
        [],
      ),
    )
    expect(rows.map(({ action }) => action)).toEqual([
      'person.invite',
      'person.role',
      'person.reset-factors',
      'person.remove',
    ])
  })

  it('lose their assistants when they begin anew, unless these are kept, and the links that they made', async () => {
    const { desk, person, visit } = await openDeskOn(engine)
    const { accountId } = await desk.account('acme', 0)
    const path = `/customers/${accountId}/people`
    const owner = await joinAs(desk, accountId, { email: 'bo@acme.example', role: 'owner' })
    const invited = await press(owner, await owner.visit(`${desk.url}/people`), '/people/invite', {
      email: 'bo.private@mail.example',
      role: 'owner',
    })
    const { members } = await desk.gateway.people.list(accountId)
    const bo = members.find(({ email }) => email === 'bo@acme.example')
    const { headers } = await connect(desk.gateway, accountId, 'only reading', bo?.personId)
    const balance = async () => {
      const { authorization } = headers
      return (await callWith(desk.url, { authorization }, { path: BALANCE })).status
    }
    const reset = async (more: Record<string, string>) =>
      press(person, await visit(path), `${path}/reset`, { email: 'bo@acme.example', ...more })
    expect((await reset({ keep: 'assistants' })).text).toContain('#wi_')
    expect(await balance()).toBe(200)
    expect((await reset({})).text).toContain('#wi_')
    expect(await balance()).toBe(401)
    const stranger = createPerson()
    const followed = await press(stranger, await stranger.visit(`${desk.url}/invited`), '/invited', {
      link: linkOn(invited.text),
    })
    expect(followed.status).toBe(410)
  })

  it('need a second factor when an operator says so, from their next sign-in on', async () => {
    const { desk, person, visit } = await openDeskOn(engine)
    const { accountId } = await desk.account('acme', 0)
    const path = `/customers/${accountId}/people`
    const made = await press(person, await visit(path), `${path}/invite`, {
      email: 'bo@acme.example',
      role: 'viewer',
    })
    const { browser } = await join(desk, linkOn(made.text))
    await press(person, await visit(path), `${path}/factor`)
    const page = await browser.visit(`${desk.url}/messages`)
    expect(new URL(page.url).pathname).toBe('/sign-in')
    const led = await press(browser, page, '/sign-in', {
      email: 'bo@acme.example',
      password: 'a long password',
    })
    expect(new URL(led.url).pathname).toBe('/second')
    expect(led.text).toContain('signs in with more than a password')
    expect(new URL((await browser.visit(`${desk.url}/messages`)).url).pathname).toBe('/second')
  })

  it('are seen by who looks, who changes nothing', async () => {
    const { desk } = await openDeskOn(engine)
    const { accountId } = await desk.account('acme', 0)
    const { person } = await desk.operator('lou', 'look')
    const page = await person.visit(`${desk.deskUrl}/customers/${accountId}/people`)
    expect([page.status, page.text.includes('/people/')]).toEqual([200, false])
  })
})
