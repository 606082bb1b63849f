import { describe, expect, it } from 'vitest'
import { createPerson, type Page, type Person } from '../assistants/oauth/person.ts'
import { hurried } from '../console/live/hurried.ts'
import { type Desk, enter, openDesk } from './desk.ts'

const isAdd = (action: string) => action.endsWith('/operators/add')
const isEnd = (action: string) => action.endsWith('/operators/end')

async function add(desk: Desk, person: Person, name: string, role: 'look' | 'act'): Promise<Page> {
  return person.submit(await person.visit(`${desk.deskUrl}/operators`), { name, role }, isAdd)
}

const namesIn = async ({ gateway }: Desk) =>
  (await gateway.operators.list()).map(({ name, role, endedAt }) => `${name} ${endedAt > 0 ? 'ended' : role}`)

describe('the page of operators', () => {
  it('makes a link that lets another one in, and says who made it in the audit log', async () => {
    const desk = await openDesk()
    const ada = await desk.operator('ada')
    const made = await add(desk, ada.person, 'Bob <b>', 'look')
    const link = /<pre id="link">([^<]+)<\/pre>/.exec(made.text)?.[1] ?? ''
    expect(link).toMatch(new RegExp(`^${desk.deskUrl}/enter#wl_`))
    expect((await enter(createPerson(), link)).text).toContain('Welcome, <bdi>Bob &lt;b&gt;</bdi>')
    expect(await namesIn(desk)).toEqual(['Bob <b> look', 'ada act'])
    const [entry] = await desk.gateway.database.read(({ run }) =>
      run('SELECT actor, detail FROM audit WHERE action = $1 ORDER BY id DESC LIMIT 1', ['operator.add']),
    )
    expect(entry).toEqual({ actor: 'operator:ada', detail: '{"name":"Bob <b>","role":"look"}' })
  })

  it('refuses a name that is taken, or none', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    const taken = await add(desk, person, 'ada', 'act')
    expect([taken.status, taken.text.includes('There is an operator ada already')]).toEqual([422, true])
    const none = await add(desk, person, ' ', 'act')
    expect([none.status, none.text.includes('Expected a name')]).toEqual([422, true])
  })

  it('ends one, after saying what that does', async () => {
    const desk = await openDesk(':memory:', {}, { live: hurried() })
    const ada = await desk.operator('ada')
    const bob = await desk.operator('bob')
    const [adas, bobs] = await Promise.all(
      [ada, bob].map(({ person }) => person.send(`${desk.deskUrl}/live`)),
    )
    const asked = await ada.person.visit(`${desk.deskUrl}/operators/end?name=bob`)
    expect(asked.text).toContain('the code generator and 10 recovery codes are deleted')
    await ada.person.submit(asked, {}, isEnd)
    expect(await namesIn(desk)).toEqual(['ada act', 'bob ended'])
    expect((await bob.person.visit(`${desk.deskUrl}/`)).url).toContain('/sign-in')
    // The page that bob left open ends too.
    expect(await bobs?.text()).toMatch(/event: end\ndata: signed out\n\n$/)
    const heard = await adas?.body?.getReader().read()
    expect([heard?.done, new TextDecoder().decode(heard?.value)]).toEqual([
      false,
      expect.not.stringContaining('event: end'),
    ])
  })

  it('shows everything to who looks, and changes nothing for them', async () => {
    const desk = await openDesk()
    const ada = await desk.operator('ada')
    const lou = await desk.operator('lou', 'look')
    for (const path of ['/', '/audit', '/operators'])
      expect((await lou.person.visit(desk.deskUrl + path)).status, path).toBe(200)
    const theirs = await lou.person.visit(`${desk.deskUrl}/operators`)
    expect(theirs.text).not.toContain('Make the link')
    expect((await lou.person.visit(`${desk.deskUrl}/operators/end?name=ada`)).status).toBe(403)
    // A form of somebody who acts, sent by one who looks, with a ticket of their own.
    const form = await ada.person.visit(`${desk.deskUrl}/operators`)
    const ticket = /name="form_ticket" value="([^"]+)"/.exec(theirs.text)?.[1] ?? ''
    const forms = {
      ...form,
      text: form.text.replaceAll(/name="form_ticket" value="[^"]+"/g, `name="form_ticket" value="${ticket}"`),
    }
    expect((await lou.person.submit(forms, { name: 'eve', role: 'act' }, isAdd)).status).toBe(403)
    expect(await namesIn(desk)).toEqual(['ada act', 'lou look'])
  })

  it('asks again who it is when the last time is more than ten minutes ago, and keeps the form meanwhile', async () => {
    const desk = await openDesk()
    const { person, secret } = await desk.operator('ada')
    await desk.pass(11 * 60_000)
    const asked = await add(desk, person, 'bob', 'act')
    expect([asked.status, asked.text.includes('<h1>Is it you?</h1>')]).toEqual([401, true])
    const withCode = (page: Page, code: string) =>
      person.submit(
        { ...page, text: page.text.replace(/<form[^>]*data-passkey.*?<\/form>/s, '') },
        { code },
        isAdd,
      )
    const wrong = await withCode(asked, '000000')
    expect([wrong.status, wrong.text.includes('That did not fit')]).toEqual([401, true])
    expect(await namesIn(desk)).toEqual(['ada act'])
    const before = new Map(person.cookies)
    const right = await withCode(wrong, desk.codeNow(secret))
    expect(right.text).toContain('The link for <bdi>bob</bdi>')
    // A copy of the cookie that was there before opens nothing.
    const now = new Map(person.cookies)
    person.cookies.clear()
    for (const [name, value] of before) person.cookies.set(name, value)
    expect((await person.visit(desk.deskUrl)).url).toContain('/sign-in')
    for (const [name, value] of now) person.cookies.set(name, value)
    // It counts for ten minutes.
    expect((await add(desk, person, 'eve', 'act')).status).toBe(200)
    expect(await namesIn(desk)).toEqual(['ada act', 'bob act', 'eve act'])
  })
})
