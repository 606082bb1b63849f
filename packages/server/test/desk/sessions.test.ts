import { describe, expect, it } from 'vitest'
import { createPerson } from '../assistants/oauth/person.ts'
import { type Desk, openDesk, type Signed } from './desk.ts'

const MINUTE = 60_000

/** A desk whose time a test moves, with somebody signed in. */
async function openMoved(): Promise<{ desk: Desk; ada: Signed; move: Desk['pass'] }> {
  const desk = await openDesk()
  return {
    desk,
    ada: await desk.operator('ada'),
    move: desk.pass,
  }
}

describe('a session at the desk', () => {
  it('ends after half an hour without a page', async () => {
    const { desk, ada, move } = await openMoved()
    const isIn = async () => (await ada.person.visit(`${desk.deskUrl}/`)).text.includes('<h1>Overview</h1>')
    for (let n = 0; n < 3; n++) {
      await move(29 * MINUTE)
      expect(await isIn()).toBe(true)
    }
    await move(31 * MINUTE)
    expect(await isIn()).toBe(false)
  })

  it('ends after eight hours, however much it is used', async () => {
    const { desk, ada, move } = await openMoved()
    const isIn = async () => (await ada.person.visit(`${desk.deskUrl}/`)).text.includes('<h1>Overview</h1>')
    for (let n = 0; n < 23; n++) {
      await move(20 * MINUTE)
      expect(await isIn()).toBe(true)
    }
    await move(21 * MINUTE)
    expect(await isIn()).toBe(false)
  })

  it('is not kept by a page that is only open', async () => {
    const { desk, ada, move } = await openMoved()
    await move(29 * MINUTE)
    const stream = await ada.person.send(`${desk.deskUrl}/live`)
    expect(stream.headers.get('content-type')).toContain('text/event-stream')
    await stream.body?.cancel()
    await move(2 * MINUTE)
    expect((await ada.person.visit(`${desk.deskUrl}/`)).url).toContain('/sign-in')
  })

  it('ends with a sign-out, and with it the streams of its pages', async () => {
    const { desk, ada } = await openMoved()
    const { person } = ada
    const stream = await person.send(`${desk.deskUrl}/live`)
    const page = await person.visit(`${desk.deskUrl}/`)
    const token = person.cookies.get('wigwag_desk')
    await person.submit(page, {}, (action) => action.endsWith('/sign-out'))
    expect(await stream.text()).toContain('event: end\ndata: signed out')
    const again = await fetch(`${desk.deskUrl}/`, {
      headers: { cookie: `wigwag_desk=${token}` },
      redirect: 'manual',
    })
    expect(again.status).toBe(303)
  })

  it('is not found in the database', async () => {
    const { desk, ada } = await openMoved()
    const token = ada.person.cookies.get('wigwag_desk') ?? ''
    const rows = await desk.gateway.database.read(async ({ run }) => [
      ...(await run('SELECT * FROM operator_sessions', [])),
      ...(await run('SELECT * FROM recovery_codes', [])),
      ...(await run('SELECT * FROM code_generators', [])),
      ...(await run('SELECT * FROM audit', [])),
    ])
    const text = JSON.stringify(rows)
    expect(rows.length).toBeGreaterThan(10)
    for (const secret of [token, ada.secret, ...ada.recoveryCodes, ...ada.recoveryCodes.map(bare)])
      expect(text.includes(secret)).toBe(false)
  })
})

describe('the sandbox', () => {
  it('opens its desk with one press, as an operator who acts', async () => {
    const desk = await openDesk(':memory:', { trustedProxies: [] })
    const person = createPerson()
    const page = await person.visit(`${desk.deskUrl}/`)
    expect(page.text).toContain('Open the desk')
    const opened = await person.submit(page, {}, (action) => new URL(action).pathname === '/open')
    expect(opened.text).toContain('<h1>Overview</h1>')
    expect((await person.visit(`${desk.deskUrl}/operators`)).text).toContain('Add an operator')
  })

  it('opens it to nobody whose request came through a proxy', async () => {
    const desk = await openDesk()
    const person = createPerson()
    const forwarded = { 'x-forwarded-for': '203.0.113.9' }
    const page = await (await person.send(`${desk.deskUrl}/sign-in`, { headers: forwarded })).text()
    expect(page).not.toContain('Open the desk')
    const ticket = /name="form_ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const opened = await person.send(`${desk.deskUrl}/open`, {
      method: 'POST',
      headers: forwarded,
      body: new URLSearchParams({ form_ticket: ticket }),
    })
    expect(opened.status).toBe(403)
  })
})

function bare(code: string): string {
  return code.replaceAll('-', '')
}
