import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { migrate } from '../../src/store/schema/migrate.ts'
import { isFromThisMachine } from '../../src/web/this-machine.ts'
import { createPerson, formsOf, type Person } from '../assistants/oauth/person.ts'
import { openWorld, type World } from '../assistants/oauth/world.ts'
import { aPlace } from '../support/bench.ts'
import { open as openStore } from '../support/engine.ts'
import { makeWallets } from '../support/rows-of.ts'
import { textOf } from './reading.ts'

const SESSION = 'wigwag_portal'
/** Signing in needs a public address; the one that it listens on is known only later. */
const PRODUCTION = { environment: 'production', publicUrl: 'http://127.0.0.1:1' } as const

async function open(options?: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(options)
  const person = createPerson()
  const welcome = await person.visit(`${world.url}/`)
  return { ...world, person, welcome }
}

interface Answer {
  status: number
  text: string
  cookie: string
}

/** One request with any headers. Not by fetch, which lets its callers choose no Host. */
function ask(address: string, headers: Record<string, string>, body?: URLSearchParams): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: body ? 'POST' : 'GET', headers }, async (response) => {
      const cookie = (response.headers['set-cookie'] ?? []).join()
      resolve({ status: response.statusCode ?? 0, text: await text(response), cookie })
    })
    sent.on('error', reject)
    sent.end(body?.toString())
  })
}

/** Posts the form of the welcome page with other headers than a browser would send from it. */
function post(
  { url }: World,
  person: Person,
  { headers, ticket }: { headers: Record<string, string>; ticket: string },
): Promise<Answer> {
  const cookie = [...person.cookies].map((pair) => pair.join('=')).join('; ')
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return ask(`${url}/open`, { cookie, ...type, ...headers }, new URLSearchParams({ form_ticket: ticket }))
}

const ticketOf = (page: Parameters<typeof formsOf>[0]) => formsOf(page)[0]?.hidden.form_ticket ?? ''

describe('the welcome page of a sandbox', () => {
  it('opens the console of the demo account with one press', async () => {
    const { url, gateway, person, welcome } = await open()
    expect(welcome.text).toContain('<h1>Wigwag is running</h1>')
    // The wallet may hold something else by now.
    expect(textOf(welcome.text)).toContain('No text reaches a phone, and the money is play money.')
    expect(welcome.text).not.toContain('GHS')
    const inbox = await person.submit(welcome, {})
    expect(inbox.url).toBe(`${url}/messages`)
    expect(inbox.text).toContain('demo@wigwag.dev')
    const [entry] = await gateway.database.read(({ run }) =>
      run<{ accountId: string; detail: string }>(
        `SELECT account_id AS "accountId", detail FROM audit WHERE action = 'portal.sign-in'`,
        [],
      ),
    )
    expect(entry).toEqual({
      accountId: gateway.demo?.accountId,
      detail: JSON.stringify({ by: 'sandbox', address: '127.0.0.1' }),
    })
  })

  it('leads a person who is signed in to the inbox', async () => {
    const { url, resident } = await openWorld()
    const { person } = await resident()
    expect((await person.visit(`${url}/`)).url).toBe(`${url}/messages`)
  })

  it('changes nothing when it is only looked at', async () => {
    const { url, gateway, person } = await open()
    expect((await person.visit(`${url}/open`)).status).toBe(404)
    expect(person.cookies.has(SESSION)).toBe(false)
    const sessions = await gateway.database.read(({ run }) => run('SELECT * FROM portal_sessions', []))
    expect(sessions).toEqual([])
  })

  it('takes the form only from itself, in the browser that shows it', async () => {
    const world = await open()
    const { url, person, welcome } = world
    const ticket = ticketOf(welcome)
    const { host } = new URL(url)
    const attempts = [
      { headers: { host, origin: 'https://evil.example' }, ticket },
      { headers: { host, 'sec-fetch-site': 'cross-site' }, ticket },
      { headers: { host }, ticket: '' },
      { headers: { host, cookie: '' }, ticket },
    ]
    for (const attempt of attempts) {
      const { status, text: page, cookie } = await post(world, person, attempt)
      expect([status, cookie.includes(SESSION)], JSON.stringify(attempt)).toEqual([403, false])
      expect(page).toContain('This form can’t be used')
    }
    expect((await post(world, person, { headers: { host }, ticket })).cookie).toContain(SESSION)
  })

  it.each(['evil.example', '127.0.0.1.evil.example'])(
    'offers and does nothing under the name %s, which another site chose',
    async (name) => {
      const world = await open()
      const { url, person, welcome } = world
      const host = `${name}:${new URL(url).port}`
      const { status, cookie } = await post(world, person, { headers: { host }, ticket: ticketOf(welcome) })
      expect([status, cookie.includes(SESSION)]).toEqual([403, false])
      const seen = await ask(`${url}/`, { host })
      expect(seen.text).toContain('href="/sign-in"')
      expect(seen.text).not.toContain('action="/open"')
      expect((await ask(`${url}/sign-in`, { host })).text).not.toContain('action="/open')
    },
  )

  it('does nothing for another machine, whatever name it gives', async () => {
    const world = await open()
    const { url, person, welcome } = world
    const from = { host: new URL(url).host, 'x-forwarded-for': '192.0.2.7' }
    const { status, cookie } = await post(world, person, { headers: from, ticket: ticketOf(welcome) })
    expect([status, cookie.includes(SESSION)]).toEqual([403, false])
  })

  it('offers its press at every page that asks to sign in, and leads on to that page', async () => {
    const { url } = await openWorld()
    const person = createPerson()
    const asked = await person.visit(`${url}/wallet`)
    expect(new URL(asked.url).pathname).toBe('/sign-in')
    expect(asked.text).toContain('You will be demo@wigwag.dev')
    expect(asked.text).not.toContain('There is no sign-up here')
    const landed = await person.submit(asked, {}, (to) => new URL(to).pathname === '/open')
    expect([landed.left, landed.url]).toEqual([undefined, `${url}/wallet`])
    expect(landed.text).toContain('demo@wigwag.dev')
  })

  it('leads on to no page of others', async () => {
    const world = await open()
    const { url, person, welcome } = world
    const cookie = [...person.cookies].map((pair) => pair.join('=')).join('; ')
    const type = 'application/x-www-form-urlencoded'
    const answer = await fetch(`${url}/open?next=${encodeURIComponent('//evil.example/')}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'content-type': type },
      body: new URLSearchParams({ form_ticket: ticketOf(welcome) }),
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/messages'])
  })

  it('says that the demo account is suspended, in place of asking again', async () => {
    const { url, gateway, person, welcome } = await open()
    await gateway.operator.setStatus(gateway.demo?.accountId ?? '', 'suspended')
    const landed = await person.submit(welcome, {})
    expect(landed.status).toBe(403)
    expect(landed.text).toContain('The demo account is suspended')
    expect(person.cookies.has(SESSION)).toBe(false)
    expect((await person.visit(`${url}/`)).status).toBe(200)
  })

  it('leads to the one name under which forms work', async () => {
    const { url, person } = await open()
    const { port } = new URL(url)
    const { status, headers } = await person.send(`http://localhost:${port}/`)
    expect([status, headers.get('location')]).toEqual([303, `${url}/`])
  })

  it('opens no account that an operator made: there, people sign in', async () => {
    const database = await aPlace('an SQLite file')
    const secret = 'a secret of tests'
    const store = openStore(database)
    await migrate(store)
    await makeWallets(store, { ama: 100 })
    await store.close()
    const world = await open({ database, config: { secret } })
    expect(world.gateway.demo).toBeUndefined()
    expect(world.welcome.text).toContain('href="/sign-in"')
    expect(world.welcome.text).not.toContain('action="/open"')
    const signIn = await world.person.visit(`${world.url}/sign-in`)
    expect(signIn.text).toContain(
      'For an account, or if you can’t sign in any more, ask the operator of this service.',
    )
    expect(signIn.text).not.toContain('action="/open')
    const ticket = ticketOf(signIn)
    const { status, cookie } = await post(world, world.person, {
      headers: { host: new URL(world.url).host },
      ticket,
    })
    expect([status, cookie.includes(SESSION)]).toEqual([303, false])
  })
})

describe('the first page in production', () => {
  it('asks to sign in, and opens nothing with one press', async () => {
    const world = await openWorld({ config: { ...PRODUCTION, secret: 'a secret of tests' } })
    const person = createPerson()
    const page = await person.visit(`${world.url}/`)
    expect(new URL(page.url).pathname).toBe('/sign-in')
    expect(page.text).not.toContain('action="/open')
    const { status, cookie } = await post(world, person, {
      headers: { host: new URL(world.url).host },
      ticket: ticketOf(page),
    })
    expect([status, cookie.includes(SESSION)]).toEqual([404, false])
  })
})

describe('the check of where a request comes from', () => {
  const named = (host: string | undefined) => (name: string) => (name === 'host' ? host : undefined)

  it.each(['127.0.0.1', 'localhost', '[::1]', '127.0.0.1:8080', 'LOCALHOST:1'])('takes %s', (host) => {
    expect(isFromThisMachine(named(host), '127.0.0.1')).toBe(true)
    expect(isFromThisMachine(named(host), '::1')).toBe(true)
    expect(isFromThisMachine(named(host), '192.168.1.2')).toBe(false)
    expect(isFromThisMachine(named(host), 'unknown')).toBe(false)
  })

  it.each([undefined, '', '127.0.0.1.nip.io', 'localhost.', '0.0.0.0', 'a@127.0.0.1:80@b'])(
    'takes no %j',
    (host) => expect(isFromThisMachine(named(host), '127.0.0.1')).toBe(false),
  )

  it.each(['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'])(
    'takes nothing that a proxy on this machine hands on with %s',
    (header) => {
      const headers = (name: string) => (name === 'host' ? 'localhost' : name === header ? 'a' : undefined)
      expect(isFromThisMachine(headers, '127.0.0.1')).toBe(false)
    },
  )
})
