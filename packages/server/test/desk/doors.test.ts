import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import { createPerson, formsOf } from '../assistants/oauth/person.ts'
import { press } from '../console/forms.ts'
import { basic } from '../support/harness.ts'
import { type Desk, openDesk, openDeskOn } from './desk.ts'

/** Served on both ports, and not about anybody. Both answer with their own. */
const ON_BOTH = [
  '/',
  '/sign-in',
  '/sign-in/passkey',
  '/sign-out',
  '/open',
  '/theme',
  '/assets/:name',
  '/passkey/sign-in',
  '/passkey/prove',
]

/** Names that both ports have, for pages of their own: those of a customer's messages, and of everybody's. */
const SAME_NAME = /^\/messages(\/|$)/

/** Every path of the desk. A new place adds its own. */
const DESK = [
  '/audit',
  '/audit/file.csv',
  '/operators',
  '/operators/add',
  '/operators/end',
  '/live',
  '/messages',
  '/messages/waiting',
  '/messages/set-aside',
  '/messages/callbacks',
  '/messages/callbacks/replay',
  '/messages/uncertain',
  '/messages/uncertain/check',
  '/messages/uncertain/file.csv',
  '/messages/uncertain/settle',
  '/messages/:id',
  '/messages/:id/text',
  '/messages/:id/callback',
  '/customers',
  '/customers/new',
  '/customers/:id',
  '/customers/:id/edit',
  '/customers/:id/statement',
  '/customers/:id/statement.csv',
  '/customers/:id/money',
  '/customers/:id/warn',
  '/customers/:id/standing',
  '/customers/:id/keys/rotate',
  '/customers/:id/keys/end',
  '/customers/:id/connections/end',
  '/customers/:id/export',
  '/customers/:id/erase',
  '/customers/:id/console',
  ...['', '/invite', '/withdraw', '/role', '/remove', '/reset', '/factor'].map(
    (one) => `/customers/:id/people${one}`,
  ),
  '/carriers',
  '/carriers/plan/live',
  '/carriers/plan/way',
  '/carriers/plan/reload',
  '/carriers/:name',
  '/carriers/:name/switch',
  '/carriers/:name/test',
  '/deliveries',
  '/senders',
  '/senders/approve',
  '/senders/reject',
  '/prices',
  '/prices/file.csv',
  '/prices/import',
  '/prices/check',
  '/prices/earlier',
  '/prices/earlier/:number',
  '/prices/restore',
  '/enter',
  '/register',
  '/register/passkey',
  '/register/code',
  '/passkey/register',
]

/** Every name that an address of the desk may carry, in rows. No page reads two of a row. */
const ASKED = [
  ['account', 'asked', 'low', 'name', 'reason', 'routes', 'run'],
  ['action', 'amount', 'carrier', 'number', 'q', 'status'],
  ['after', 'by', 'from', 'reference'],
  ['before', 'day', 'trial'],
  ['seen', 'sender', 'since'],
  ['done', 'text', 'until'],
]

function publicPaths({ gateway }: Desk): { method: string; path: string }[] {
  const routes = gateway.app.routes.filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
  const paths = new Map(routes.map(({ method, path }) => [`${method} ${path}`, { method, path }]))
  return [...paths.values()].filter(({ path }) => !ON_BOTH.includes(path))
}

describe('the port of the desk', () => {
  it('has no route of the public port, and the public port none of the desk', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    const theirs = publicPaths(desk)
    expect(theirs.length).toBeGreaterThan(60)
    for (const { method, path } of theirs) {
      const response = await person.send(desk.deskUrl + path.replace(/:\w+/g, 'x'), { method })
      const text = await response.text()
      if (SAME_NAME.test(path)) {
        expect(text, path).not.toContain('class="ribbon"')
        continue
      }
      expect(response.status, `${method} ${path}`).toBe(404)
      if (method !== 'HEAD') expect(text, path).toContain('No page of the desk has this address')
    }
    for (const path of DESK) {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(desk.url + path, { method, redirect: 'manual' })
        if (SAME_NAME.test(path)) {
          expect(await response.text(), path).not.toContain('Wigwag desk')
          continue
        }
        expect([404, 405], `${method} ${path}`).toContain(response.status)
      }
    }
  })

  it('lists every route of the desk in this test', async () => {
    const desk = await openDesk()
    const known = [...ON_BOTH, ...DESK]
    const paths = (desk.gateway.deskApp?.routes ?? [])
      .map(({ path }) => path)
      .filter((path) => !path.includes('*'))
    expect([...new Set(paths)].filter((path) => !known.includes(path))).toEqual([])
    expect(known.filter((path) => !paths.includes(path))).toEqual([])
  })

  it('is opened by no session, key or token of a customer', async () => {
    const desk = await openDesk()
    const { gateway, deskUrl } = desk
    const { demo } = gateway
    if (!demo?.password) throw new Error('expected a demo account')
    const signedIn = await gateway.portal.signIn({
      email: 'demo@wigwag.dev',
      password: demo.password,
      address: '127.0.0.1',
    })
    if (signedIn.kind !== 'in') throw new Error(signedIn.kind)
    const proofs = [
      { cookie: `wigwag_portal=${signedIn.token}` },
      { cookie: `wigwag_desk=${signedIn.token}` },
      { authorization: basic(demo), 'x-wallet': `Token ${demo.walletToken}` },
      { authorization: `Bearer ${signedIn.token}` },
      { cookie: `wigwag_desk=${demo.walletToken}` },
    ]
    for (const headers of proofs) {
      for (const path of ['/', '/audit', '/audit/file.csv', '/operators', '/live']) {
        const response = await fetch(deskUrl + path, { headers, redirect: 'manual' })
        expect([response.status, response.headers.get('location')], path).toEqual([
          303,
          expect.stringMatching(/^\/sign-in\?next=/),
        ])
      }
    }
  })

  it('gives no session that works at the console or the API', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    const token = person.cookies.get('wigwag_desk')
    expect(token).toMatch(/^wo_/)
    for (const cookie of [`wigwag_desk=${token}`, `wigwag_portal=${token}`]) {
      const response = await fetch(`${desk.url}/messages`, { headers: { cookie }, redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([303, '/sign-in?next=%2Fmessages'])
    }
    const balance = await fetch(`${desk.url}/v1/account/balance`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(balance.status).toBe(401)
  })

  it('takes no form from elsewhere', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    const page = await person.visit(`${desk.deskUrl}/operators`)
    const form = formsOf(page).find(({ action }) => action.endsWith('/operators/add'))
    if (!form) throw new Error(page.text)
    const add = (hidden: Record<string, string>, headers: Record<string, string>) =>
      person.send(form.action, {
        method: 'POST',
        headers,
        body: new URLSearchParams({ ...hidden, name: 'eve', role: 'act' }),
      })
    const origin = new URL(desk.deskUrl).origin
    const refused = [
      await add(form.hidden, { origin: 'https://evil.example' }),
      // The console is another port of the same host: the same site, but another origin.
      await add(form.hidden, { origin: new URL(desk.url).origin }),
      await add(form.hidden, { origin, 'sec-fetch-site': 'same-site' }),
      await add({}, { origin }),
      await add({ form_ticket: 'x' }, { origin }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    const listed = await desk.gateway.operators.list()
    expect(listed.map(({ name }) => name)).toEqual(['ada'])
  })

  it('can’t be framed, and loads nothing but its own', async () => {
    const desk = await openDesk()
    const { person } = await desk.operator('ada')
    for (const path of ['/', '/sign-in', '/enter', '/audit', '/operators', '/nothing']) {
      const { headers } = await person.send(desk.deskUrl + path)
      const policy = headers.get('content-security-policy')
      expect(policy, path).toContain("default-src 'none'")
      expect(policy, path).toContain("frame-ancestors 'none'")
      expect([headers.get('x-frame-options'), headers.get('cache-control')], path).toEqual([
        'DENY',
        'no-store',
      ])
    }
  })

  it('fails on no zero character in an address or a form, of which PostgreSQL takes none', async () => {
    const { desk, person } = await openDeskOn('PostgreSQL')
    const failed: string[] = []
    let pages = 0
    const shown = (desk.gateway.deskApp?.routes ?? []).filter(({ method }) => method === 'GET')
    for (const path of new Set(shown.map(({ path }) => path).filter((path) => DESK.includes(path)))) {
      const of = (id: string) => desk.deskUrl + path.replace(/:\w+/g, id)
      const rows = path.endsWith('/live') ? [] : ASKED.map((names) => names.map((name) => `${name}=%00`))
      for (const address of [of('%00'), ...rows.map((row) => `${of('demo@wigwag.dev')}?${row.join('&')}`)]) {
        const { status, body } = await person.send(address)
        await body?.cancel()
        if (status >= 500) failed.push(address)
        if (status === 200) pages++
      }
    }
    expect(failed).toEqual([])
    expect(pages).toBeGreaterThan(40)
    const form = await person.visit(`${desk.deskUrl}/customers/new`)
    const values = { name: 'Acme', email: 'a\0@acme.example', currency: 'GHS', balance: '0' }
    const { status, text } = await press(person, form, '/customers/new', values)
    expect([status, text.includes('a@acme.example')]).toEqual([200, true])
  })

  it('answers under its own name alone, where no address is set', async () => {
    const desk = await openDesk()
    const { port } = new URL(desk.deskUrl)
    const other = await fetch(`http://127.0.0.1:${port}/audit?by=x`, { redirect: 'manual' })
    expect([other.status, other.headers.get('location')]).toEqual([303, `${desk.deskUrl}/audit?by=x`])
    const posted = await fetch(`http://127.0.0.1:${port}/sign-in`, { method: 'POST', redirect: 'manual' })
    expect(posted.status).toBe(421)
  })

  it('limits what an address may try', async () => {
    const desk = await openDesk()
    const person = createPerson()
    const page = await person.visit(`${desk.deskUrl}/sign-in`)
    const statuses: number[] = []
    for (let n = 0; n < 40; n++) {
      const tried = await person.submit(page, { passkey: '{}' }, (action) =>
        action.includes('/sign-in/passkey'),
      )
      statuses.push(tried.status)
    }
    expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 401))
    expect(statuses.at(-1)).toBe(429)
  })
})

describe('the settings of the desk', () => {
  const production = { WIGWAG_ENV: 'production', WIGWAG_SECRET: 'x'.repeat(32), WIGWAG_CARRIER: 'simulator' }

  it('have it off in production until a port is set, and beside the API in a sandbox', () => {
    expect(loadConfig({}, production).desk).toBeUndefined()
    expect(loadConfig({}, { ...production, WIGWAG_OPERATOR_PORT: '8081' }).desk).toEqual({
      host: '127.0.0.1',
      port: 8081,
      anyPort: false,
      url: undefined,
    })
    expect(loadConfig({}, {}).desk).toMatchObject({ host: '127.0.0.1', port: 8081, anyPort: true })
    expect(loadConfig({ port: '0' }, {}).desk?.port).toBe(0)
    for (const environment of [production, {}])
      expect(loadConfig({}, { ...environment, WIGWAG_OPERATOR_PORT: '' }).desk).toBeUndefined()
  })

  it('take an address with https, or of this machine', () => {
    const load = (WIGWAG_OPERATOR_URL: string) => () => loadConfig({}, { WIGWAG_OPERATOR_URL }).desk?.url
    expect(load('https://desk.example.com')()).toBe('https://desk.example.com')
    expect(load('http://localhost:9000')()).toBe('http://localhost:9000')
    expect(load('http://desk.example.com')).toThrow(
      'WIGWAG_OPERATOR_URL: expected an address such as https://desk.example.com',
    )
    expect(load('https://desk.example.com/x')).toThrow('without a path')
  })
})
