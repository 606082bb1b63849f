import { describe, expect, it } from 'vitest'
import { formsOf } from '../assistants/oauth/person.ts'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { eventually } from '../support/eventually.ts'
import { call, SINGLE, single } from '../support/front.ts'

const FORMS = ['clock', 'tell', 'faults', 'money', 'senders', 'start-over']

async function open() {
  const world = await openWorld()
  const ama = await world.resident('ama')
  const kofi = await world.resident('kofi')
  const press = async (who: Resident, what: string, values: Record<string, string>, from = '/sandbox') => {
    const page = await who.person.visit(`${world.url}${from}`)
    return who.person.submit(page, values, (to) => to.endsWith(`/sandbox/${what}`))
  }
  return { ...world, ama, kofi, press }
}

/** Balance less holds, in the wallet's currency. */
const balance = async ({ gateway }: World, { accountId }: Resident) => {
  const [wallet] = await gateway.database.read(({ run }) =>
    run<{ free: number }>('SELECT posted - held AS free FROM wallets WHERE account_id = $1', [accountId]),
  )
  return (wallet?.free ?? 0) / 1_000_000
}

async function waiting({ url, gateway }: World, who: Resident): Promise<string> {
  const { text } = await call(url, who, { path: SINGLE, body: single('233241200005') })
  const { Ticket } = JSON.parse(text)
  await eventually('it is handed over', async () => {
    const [job] = await gateway.database.read(({ run }) =>
      run<{ kind: string }>('SELECT kind FROM outbox WHERE id = $1', [Ticket]),
    )
    return job?.kind === 'await'
  })
  return Ticket
}

const statusOf = async ({ url }: World, who: Resident, ticket: string) =>
  JSON.parse((await call(url, who, { path: `/v1/transactions/${ticket}/status` })).text).Status

describe('the controls of a sandbox', () => {
  it('are on every page, and come back to it', async () => {
    const { url, ama, press } = await open()
    const page = await ama.person.visit(`${url}/messages?q=status%3Afailed`)
    expect(page.text).toContain('<aside id="sandbox" class="drawer"')
    const after = await press(ama, 'money', { do: 'add' }, '/messages?q=status%3Afailed')
    expect(after.url).toBe(`${url}/messages?q=status%3Afailed#sandbox`)
  })

  it.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example',
    '/sign-out',
    '/v1/messages',
    'messages',
    '/messages\r\nset-cookie: a=b',
    '',
  ])('come back to none but our pages: %j', async (back) => {
    const { url, ama, press } = await open()
    const after = await press(ama, 'money', { do: 'add', back })
    expect([after.url, after.left]).toEqual([`${url}/sandbox`, undefined])
  })

  it('deliver and fail what waits to be told', async () => {
    const world = await open()
    const { ama, press } = world
    const first = await waiting(world, ama)
    const second = await waiting(world, ama)
    const page = await ama.person.visit(`${world.url}/sandbox`)
    expect(page.text).toContain('Waiting to be told <span class="soft">2</span>')
    await press(ama, 'tell', { ticket: first, as: 'success' })
    await press(ama, 'tell', { ticket: second, as: 'failed' })
    expect(await statusOf(world, ama, first)).toBe('success')
    expect(await statusOf(world, ama, second)).toBe('failed')
  })

  it('add play money, and take all of it that is not held', async () => {
    const world = await open()
    const { ama, kofi, press } = world
    await waiting(world, ama)
    const before = await balance(world, ama)
    await press(ama, 'money', { do: 'add' })
    expect(await balance(world, ama)).toBeCloseTo(before + 50, 6)
    await press(ama, 'money', { do: 'empty' })
    expect(await balance(world, ama)).toBe(0)
    await press(ama, 'money', { do: 'empty' })
    const refused = await call(world.url, ama, { path: SINGLE, body: single() })
    expect(refused.status).toBe(402)
    expect(await balance(world, kofi)).toBe(100)
    const entries = await world.gateway.database.read(({ run }) =>
      run<{ kind: string; amount: number; message: string | null }>(
        `SELECT kind, amount, message_id AS message FROM ledger WHERE wallet_id IN
           (SELECT id FROM wallets WHERE account_id = $1) ORDER BY seq`,
        [ama.accountId],
      ),
    )
    expect(entries.map(({ kind }) => kind)).toEqual(['credit', 'credit', 'post'])
    expect(entries.every(({ message }) => message === null)).toBe(true)
  })

  it('approve a sender ID that waits', async () => {
    const world = await open()
    const { url, gateway, ama, press } = world
    await gateway.operator.setSender(ama.accountId, 'MAKOLA', 'pending')
    await press(ama, 'senders', { sender: 'MAKOLA' })
    await eventually(
      'it may be used',
      async () =>
        (await call(url, ama, { path: SINGLE, body: { ...single(), From: 'MAKOLA' } })).status === 200,
    )
    expect((await ama.person.visit(`${url}/sandbox`)).text).not.toContain('Sender IDs that wait')
  })

  it('are written down, with who pressed them', async () => {
    const { gateway, ama, press } = await open()
    await press(ama, 'clock', { by: '1m' })
    await press(ama, 'money', { do: 'empty' })
    const rows = await gateway.database.read(({ run }) =>
      run<{ action: string }>(
        `SELECT action FROM audit WHERE actor LIKE 'person:%' AND account_id = $1 AND action LIKE 'sandbox.%' ORDER BY id`,
        [ama.accountId],
      ),
    )
    expect(rows.map(({ action }) => action)).toEqual(['sandbox.clock', 'sandbox.empty-wallet'])
  })
})

describe('the controls of another account', () => {
  it('end no foreign message', async () => {
    const world = await open()
    const { ama, kofi, press } = world
    const ticket = await waiting(world, ama)
    await waiting(world, kofi)
    const answer = await press(kofi, 'tell', { ticket, as: 'success' })
    const unknown = await press(kofi, 'tell', { ticket: ticket.replace(/.$/, 'f'), as: 'success' })
    expect([answer.status, unknown.status]).toEqual([404, 404])
    expect(await statusOf(world, ama, ticket)).toBe('pending')
    expect(answer.text).not.toContain(ticket)
  })

  it('approve no foreign sender ID, and none that nobody asked for', async () => {
    const { gateway, ama, kofi, press } = await open()
    await gateway.operator.setSender(ama.accountId, 'MAKOLA', 'pending')
    await gateway.operator.setSender(kofi.accountId, 'KUMASI', 'pending')
    for (const sender of ['MAKOLA', 'NOBODY', 'WIGWAG', ''])
      expect((await press(kofi, 'senders', { sender })).status).toBe(404)
    const rows = await gateway.database.read(({ run }) =>
      run<{ sender: string }>(`SELECT sender FROM sender_ids WHERE status = 'pending' ORDER BY sender`, []),
    )
    expect(rows.map(({ sender }) => sender)).toEqual(['KUMASI', 'MAKOLA'])
  })

  it('start nothing over: only the demo account can', async () => {
    const { url, gateway, ama } = await open()
    const page = await ama.person.visit(`${url}/sandbox`)
    expect(page.text).not.toContain('start-over')
    const [form] = formsOf(page)
    const answer = await ama.person.send(`${url}/sandbox/start-over`, {
      method: 'POST',
      headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_ticket: form?.hidden.form_ticket ?? '' }),
    })
    expect(answer.status).toBe(404)
    const rows = await gateway.database.read(({ run }) => run('SELECT seq FROM ledger', []))
    expect(rows.length).toBeGreaterThanOrEqual(3)
  })

  it('show the demo account its own reset, which deletes its messages', async () => {
    const { url, gateway, ama } = await open()
    const { person } = ama
    person.cookies.clear()
    await person.submit(await person.visit(`${url}/`), {})
    const { demo } = gateway
    if (!demo) throw new Error('a sandbox has a demo account')
    await call(url, demo, { path: SINGLE, body: single() })
    const page = await person.visit(`${url}/sandbox`)
    expect(page.text).toContain('Yes, delete 1 message</button>')
    const after = await person.submit(page, {}, (to) => to.endsWith('/sandbox/start-over'))
    expect(after.text).toContain('Yes, start over</button>')
  })
})

describe('the routes of the controls', () => {
  it('take no form of another site', async () => {
    const { url, ama } = await open()
    const page = await ama.person.visit(`${url}/sandbox`)
    const body = new URLSearchParams({ form_ticket: formsOf(page)[0]?.hidden.form_ticket ?? '' })
    for (const what of FORMS) {
      const answer = await ama.person.send(`${url}/sandbox/${what}`, {
        method: 'POST',
        headers: { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' },
        body,
      })
      expect([what, answer.status]).toEqual([what, 403])
    }
  })

  it('ask who is not signed in to do so', async () => {
    const { url } = await open()
    for (const path of ['/sandbox', ...FORMS.map((what) => `/sandbox/${what}`)]) {
      const answer = await fetch(`${url}${path}`, { redirect: 'manual' })
      expect([path, answer.status === 303 || answer.status === 404]).toEqual([path, true])
    }
  })

  it('do not exist in production', async () => {
    const production = { environment: 'production', secret: 'a secret of tests' } as const
    const { url } = await openWorld({ config: { ...production, publicUrl: 'http://127.0.0.1:1' } })
    for (const path of ['/sandbox', '/open', ...FORMS.map((what) => `/sandbox/${what}`)])
      for (const method of ['GET', 'POST']) {
        const answer = await fetch(`${url}${path}`, { method, redirect: 'manual' })
        expect([method, path, answer.status]).toEqual([method, path, 404])
      }
  })
})
