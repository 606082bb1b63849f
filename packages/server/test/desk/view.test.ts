import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { eraseAccount } from '../../src/operate/privacy/index.ts'
import { formsOf, type Page, type Person } from '../assistants/oauth/person.ts'
import { wordsOf } from '../console/forms.ts'
import { connect } from '../support/assistants.ts'
import { ENGINES } from '../support/bench.ts'
import { BULK, bulk, call, SINGLE, single } from '../support/front.ts'
import { type Desk, openDesk, openDeskOn, shareDeskOn } from './desk.ts'

/** The places of the console's rail, and what the heading of each says. */
const PLACES = {
  messages: 'Inbox',
  send: 'Send',
  'send/many': 'Send',
  scheduled: 'Scheduled',
  insights: 'Insights',
  wallet: 'Wallet',
  alerts: 'Alerts',
  'sender-ids': 'Sender IDs',
  rates: 'Rates',
  developers: 'Developers',
  callbacks: 'Callbacks',
  keys: 'API keys',
  connections: 'Assistants',
}

/**
 * Tables that looking may write: who looked, the operator's session, and the processes' reports of
 * themselves.
 */
const MAY_CHANGE = ['audit', 'operatorSessions', 'carrierReports']

/** An account with something on every page: messages that ended, one that waits, callbacks, keys and an assistant. */
async function settle(desk: Desk, name: string, number: string) {
  const { gateway, url } = desk
  const email = `${name}-${randomUUID()}@example.com`
  const made = await desk.account(name, 50_000_000, email)
  const { accountId } = made
  const send = async (path: string, body: object) => {
    const { status, text } = await call(url, made, { path, body })
    if (status !== 200) throw new Error(text)
    return JSON.parse(text) as { Ticket: string }
  }
  const { Ticket: ticket } = await send(SINGLE, { ...single(number), Content: `${name}: a text` })
  await send(BULK, bulk([number, `${number.slice(0, -5)}00001`]))
  await send(`${SINGLE}/scheduled`, {
    ...single(number),
    SendAt: new Date(Date.now() + 86_400_000).toISOString(),
  })
  const pending = () =>
    gateway.database.read(({ run }) =>
      run(`SELECT id FROM messages WHERE status = 'pending' AND account_id = $1`, [accountId]),
    )
  await desk.until('all have ended', async () => (await pending()).length === 0)
  await gateway.database.write(({ run }) =>
    run(
      `INSERT INTO callbacks (id, account_id, wallet_id, message_id, url, state, created_at)
       SELECT id, account_id, wallet_id, id, 'https://acme.example/sms', 'dead', created_at
       FROM messages WHERE id = $1`,
      [ticket],
    ),
  )
  await gateway.operator.rotateSecret(accountId, 3_600_000)
  await gateway.operator.setSender(accountId, 'Pending', 'pending')
  await connect(gateway, accountId)
  return { ...made, email, ticket, base: `/customers/${accountId}/console` }
}

/** All that is stored, once it is written which keys of an account were used. */
async function everything({ gateway, until }: Desk, accountId: string): Promise<string> {
  const used = () =>
    gateway.database.read(({ run }) =>
      run('SELECT kind FROM keys WHERE used_at > 0 AND account_id = $1 ORDER BY kind', [accountId]),
    )
  await until('both are written', async () => (await used()).length === 2)
  return gateway.database.read(async ({ db, t }) => {
    const rows: string[] = []
    for (const [name, table] of Object.entries(t))
      if (!MAY_CHANGE.includes(name))
        rows.push(...(await db.select().from(table)).map((row) => name + JSON.stringify(row)).sort())
    return rows.join('\n')
  })
}

/** Every address of a page that a person can follow, forms of searches among them. */
function linksOf({ text, url }: Page): URL[] {
  const found = [...text.matchAll(/<[^>]* (?:href|src|action)="([^"]*)"/g)]
  return found.map(([, address = '']) => new URL(address.replaceAll('&amp;', '&'), url))
}

/** The kind of a page: its path without IDs, and the names of what is asked of it. */
function kindOf({ pathname, searchParams }: URL): string {
  return `${pathname.replace(/[0-9a-f-]{36}/g, ':id')} ${[...searchParams.keys()].sort()}`
}

/** Goes to everything that can be reached from a page without leaving a customer's console, and to two of each kind. */
async function crawl({ person, deskUrl }: { person: Person; deskUrl: string }, base: string) {
  const pages: Page[] = []
  const left = new Set<string>()
  const known = new Set([`${base}`])
  const kinds = new Map<string, number>()
  for (const path of known) {
    const kind = kindOf(new URL(path, deskUrl))
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    if ((kinds.get(kind) ?? 0) > 2) continue
    const page = await person.visit(deskUrl + path)
    pages.push(page)
    if (!page.headers.get('content-type')?.startsWith('text/html')) continue
    for (const { origin, pathname, search, protocol, href } of linksOf(page)) {
      if (protocol === 'data:') continue
      if (origin === new URL(deskUrl).origin && pathname.startsWith(`${base}/`)) known.add(pathname + search)
      else left.add(href)
    }
  }
  return { pages, left: [...left] }
}

/** A customer, and who looked at their pages. */
async function customerOf(desk: Desk) {
  const acme = await settle(desk, 'acme', '233241111111')
  const looks = () => looksAt(desk, acme.accountId)
  return { acme, looks }
}

const looksAt = ({ gateway }: Desk, accountId: string) =>
  gateway.database.read(({ run }) =>
    run<{ actor: string; accountId: string; detail: string }>(
      `SELECT actor, account_id AS "accountId", detail FROM audit
       WHERE action = 'account.view' AND account_id = $1 ORDER BY id`,
      [accountId],
    ),
  )

describe.each(ENGINES)('a customer’s console at the desk, on %s', async (engine) => {
  const { desk, visit } = await shareDeskOn(engine)

  it('shows each of its places, and says whose it is', async () => {
    const { acme } = await customerOf(desk)
    const customer = await visit(`/customers/${acme.accountId}`)
    expect(customer.text).toContain(`href="${acme.base}">Its console</a>`)
    const first = await visit(acme.base)
    expect(first.url).toMatch(new RegExp(`${acme.base}/messages$`))
    expect(first.text).toContain('acme: a text')
    for (const [path, heading] of Object.entries(PLACES)) {
      const page = await visit(`${acme.base}/${path}`)
      expect([page.status, wordsOf(page)], path).toEqual([200, expect.stringContaining(heading)])
      expect(page.text, path).toMatch(/<title>[^<]+ · acme · Wigwag desk<\/title>/)
      expect(page.text, path).toMatch(
        /<section class="ribbon desk"[^>]*>.*The console of <bdi>acme<\/bdi>.*Read only\..*<\/section>\s*<div class="shell">/s,
      )
      expect(page.text, path).toContain(`<a class="button" href="/customers/${acme.accountId}">Back<`)
    }
    const message = wordsOf(await visit(`${acme.base}/messages/${acme.ticket}`))
    expect(message).toContain('acme: a text')
    const found = await visit(`${acme.base}/messages?q=${acme.ticket}`)
    expect(found.url).toBe(`${desk.deskUrl}${acme.base}/messages/${acme.ticket}`)
    const file = await visit(`${acme.base}/messages.csv`)
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.csv"$/)
    expect(file.text).toContain('acme: a text')
    expect((await visit(`${acme.base}/messages/live`)).status).toBe(404)
    for (const path of ['messages/%00', 'messages?q=%00', 'messages?cursor=%00', 'send/many/%00'])
      expect((await visit(`${acme.base}/${path}`)).status, path).toBeLessThan(500)
    const nothing = await visit(`${acme.base}/messages/1/2`)
    expect([nothing.status, wordsOf(nothing)]).toEqual([
      404,
      expect.stringContaining('There is nothing here'),
    ])
    expect(nothing.text).toContain(`href="${acme.base}/messages"`)
  })

  it('has nothing of another customer', async () => {
    const { acme } = await customerOf(desk)
    const other = await settle(desk, 'other', '233242222222')
    expect(wordsOf(await visit(`${other.base}/messages/${other.ticket}`))).toContain('other: a text')
    for (const path of [
      `messages/${other.ticket}`,
      `messages?q=${other.ticket}`,
      'messages?q=to:233242222222',
      'messages.csv',
      `send?again=${other.ticket}`,
      'wallet',
      'keys',
      'callbacks',
      'scheduled',
    ]) {
      const { text } = await visit(`${acme.base}/${path}`)
      for (const mark of ['other: a text', other.email, other.accountId, other.clientId])
        expect(text.includes(mark), `${mark} on ${path}`).toBe(false)
    }
    const missing = await visit(`${acme.base}/messages/${other.ticket}`)
    expect([missing.status, wordsOf(missing)]).toEqual([
      404,
      expect.stringContaining('There is no such message'),
    ])
  })

  it('is audited by the page, with who looked and at which, before it is shown', async () => {
    const { acme, looks } = await customerOf(desk)
    await visit(`${acme.base}`)
    await visit(`${acme.base}/messages?q=to:233241111111`)
    await visit(`/customers/${acme.email}/console/messages/${acme.ticket}`)
    await visit(`${acme.base}/wallet.csv?from=2026-01-01`)
    await visit(`${acme.base}/nothing`)
    const { person } = await desk.operator('lin', 'look')
    expect((await person.visit(`${desk.deskUrl}${acme.base}/keys`)).status).toBe(200)
    const paths = ['/messages', '/messages', `/messages/${acme.ticket}`, '/wallet.csv', '/nothing', '/keys']
    expect(await looks()).toEqual(
      paths.map((path) => ({
        actor: path === '/keys' ? 'operator:lin' : 'operator:ada',
        accountId: acme.accountId,
        detail: JSON.stringify({ path }),
      })),
    )
    const audit = await visit('/audit?action=account.view')
    expect(wordsOf(audit)).toContain(`path /messages/${acme.ticket}`)
  })

  it('opens to no browser that is not signed in at the desk', async () => {
    const { demo } = desk.gateway
    if (!demo?.password) throw new Error('expected a demo account')
    const signedIn = await desk.gateway.portal.signIn({
      email: 'demo@wigwag.dev',
      password: demo.password,
      address: '127.0.0.1',
    })
    if (signedIn.kind !== 'in') throw new Error(signedIn.kind)
    for (const cookie of ['', `wigwag_portal=${signedIn.token}`, `wigwag_desk=${signedIn.token}`]) {
      const path = `/customers/${demo.accountId}/console/messages`
      const response = await fetch(desk.deskUrl + path, { headers: { cookie }, redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([
        303,
        `/sign-in?next=${encodeURIComponent(path)}`,
      ])
    }
    expect(await looksAt(desk, demo.accountId)).toEqual([])
  })

  it('is there for one that is suspended, and gone with one that is erased', async () => {
    const { acme, looks } = await customerOf(desk)
    await desk.gateway.operator.setStatus(acme.accountId, 'suspended')
    const suspended = await visit(acme.base)
    expect(suspended.status).toBe(200)
    expect(suspended.text).toContain('It is suspended, so none of them can sign in.')
    expect(suspended.text).toContain('acme: a text')
    const { length } = await looks()
    await eraseAccount({ ...desk.gateway, acting: { actor: 'operator:ada' } }, acme.accountId, {
      despiteBalance: true,
      despiteOpen: true,
    })
    const erased = await visit(`${acme.base}/messages`)
    expect(wordsOf(erased)).toContain('erased')
    expect(erased.text).not.toContain('acme: a text')
    expect(await looks()).toHaveLength(length)
    expect((await visit('/customers/nobody/console/messages')).status).toBe(404)
  })
})

describe('a customer’s console at the desk', () => {
  it.each(['acme', 'demo'] as const)(
    'leads nowhere but to itself, sets no cookie, runs no script, shows no secret and changes nothing: %s',
    async (name) => {
      const { desk, person } = await openDeskOn('SQLite in memory')
      const { acme } = await customerOf(desk)
      const { accountId, clientSecret, walletToken, callbackSecret } =
        { acme, demo: desk.gateway.demo }[name] ?? {}
      if (!accountId || !clientSecret || !walletToken || !callbackSecret)
        throw new Error('expected an account')
      const secrets = [clientSecret, walletToken, callbackSecret]
      const before = await everything(desk, acme.accountId)
      const cookies = [...person.cookies.keys()]
      const { pages, left } = await crawl(
        { person, deskUrl: desk.deskUrl },
        `/customers/${accountId}/console`,
      )
      expect(pages.length).toBeGreaterThan(20)
      for (const { url, status, text, headers } of pages) {
        expect([status, headers.getSetCookie(), headers.get('cache-control')], url).toEqual([
          200,
          [],
          'no-store',
        ])
        for (const secret of secrets) expect(text.includes(secret), url).toBe(false)
        if (!headers.get('content-type')?.startsWith('text/html')) continue
        expect(text, url).toContain('class="ribbon desk"')
        expect(text, url).not.toContain('<script')
        expect(text, url).not.toMatch(/<form (?!inert)[^>]*post|<form inert[^>]* action=|formaction/i)
        expect(headers.get('content-security-policy'), url).toContain("frame-ancestors 'none'")
        expect(headers.get('x-frame-options'), url).toBe('DENY')
      }
      const outside = left.map((href) => href.replace(desk.deskUrl, 'desk:').replace(desk.url, 'public:'))
      expect(outside.sort()).toEqual([
        expect.stringMatching(/^cursor:/),
        expect.stringMatching(/^desk:\/assets\/style\.[\w-]+\.css$/),
        `desk:/customers/${accountId}`,
        'public:/docs',
        'public:/openapi.json',
        expect.stringMatching(/^vscode:/),
      ])
      const style = await person.send(left.find((href) => href.endsWith('.css')) ?? '')
      expect([style.status, await style.text()]).toEqual([200, expect.stringContaining('form[inert]')])
      expect([...person.cookies.keys()]).toEqual(cookies)
      expect(await everything(desk, acme.accountId)).toBe(before)
    },
  )

  it('takes nothing, whatever is posted to it', async () => {
    const { desk, person, visit } = await openDeskOn('SQLite in memory')
    const { acme, looks } = await customerOf(desk)
    const form = formsOf(await visit(`/customers/${acme.accountId}`)).find(({ hidden }) => hidden.form_ticket)
    const posted = desk.gateway.app.routes.flatMap(({ method, path }) => (method === 'POST' ? [path] : []))
    const [connection] = await desk.gateway.connections.list(acme.accountId)
    const found = [acme.ticket, connection?.id ?? '']
    const paths = new Set(posted.flatMap((path) => found.map((id) => path.replace(/:\w+/g, id))))
    expect(paths.size).toBeGreaterThan(30)
    const [before, looked] = [await everything(desk, acme.accountId), await looks()]
    const origin = new URL(desk.deskUrl).origin
    for (const path of ['', '/messages', ...paths]) {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const response = await person.send(desk.deskUrl + acme.base + path, {
          method,
          headers: { origin, 'sec-fetch-site': 'same-origin' },
          body: new URLSearchParams({ ...form?.hidden, To: '233241111111', From: 'WIGWAG', Content: 'Hi' }),
        })
        await response.body?.cancel()
        expect([404, 405], `${method} ${path}`).toContain(response.status)
      }
    }
    expect(await everything(desk, acme.accountId)).toBe(before)
    expect(await looks()).toEqual(looked)
  })

  it('is none where people can’t sign in', async () => {
    const desk = await openDesk(':memory:', { environment: 'production', publicUrl: undefined })
    const { person } = await desk.operator('ada')
    const { accountId } = await desk.account('acme', 0)
    const page = await person.visit(`${desk.deskUrl}/customers/${accountId}/console/messages`)
    expect([page.status, wordsOf(page)]).toEqual([404, expect.stringContaining('It has no console')])
  })
})
