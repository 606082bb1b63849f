import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { insertRows } from '../../src/store/rows.ts'
import { openWorld, type Resident, type World } from '../assistants/oauth/world.ts'
import { headerOf, startSmtp } from '../mail/smtp.ts'
import { connect } from '../support/assistants.ts'
import { eventually } from '../support/eventually.ts'
import { joinAs } from '../support/people.ts'
import { press, wordsOf } from './forms.ts'

const A_DAY = 86_400_000
const DAYS_30 = 30 * A_DAY

async function open(config: NonNullable<Parameters<typeof openWorld>[0]>['config'] = {}) {
  const world = await openWorld({ config })
  const ama = await world.resident('ama')
  const page = `${world.url}/alerts`
  return { ...world, ama, page, visit: () => ama.person.visit(page) }
}

const choicesOf = ({ gateway }: Pick<World, 'gateway'>) =>
  gateway.database.read(({ run }) => run('SELECT kind, amount FROM alert_choices ORDER BY kind', []))

const auditOf = ({ gateway }: Pick<World, 'gateway'>) =>
  gateway.database.read(({ run }) =>
    run<{ actor: string; detail: string }>(
      "SELECT actor, detail FROM audit WHERE action LIKE 'alert.%' ORDER BY id",
      [],
    ),
  )

const wordsOfLog = async ({ url, ama }: { url: string; ama: Resident }) =>
  wordsOf(await ama.person.visit(`${url}/log`))

/** Notes alerts as a look does. */
function note({ gateway }: Pick<World, 'gateway'>, { accountId }: Resident) {
  const now = gateway.clock.now()
  const row = (id: string, key: string, text: string, over: number | null) => ({
    id,
    accountId,
    key,
    text,
    seenAt: now - 3_600_000,
    toldAt: now - 3_000_000,
    goneAt: null,
    overAt: over,
  })
  return gateway.database.write((tx) =>
    insertRows(
      tx,
      tx.t.accountAlerts,
      [
        row('a1', 'wallet:w', 'The wallet has GHS 1.00, less than GHS 5.00.', null),
        row('a2', 'receiver:a', 'Callbacks to <shop.example> wait.', now - 1_800_000),
        row('a3', 'address:k:2001:db8::/64', 'The API key was used from 2001:db8::/64.', now + DAYS_30),
        { ...row('a4', 'spend:w', 'Not told yet.', null), toldAt: null },
      ].map((one) => ({
        ...one,
        seenAt: one.seenAt as typeof now,
        toldAt: one.toldAt as typeof now | null,
        overAt: one.overAt as typeof now | null,
      })),
    ),
  )
}

describe('the page of alerts', () => {
  it('has what the account is told of, with amounts, and the log says who chose what', async () => {
    const world = await open()
    const { ama, visit, page } = world
    await press(ama.person, await visit(), '/alerts', {
      wallet: 'on',
      'wallet-amount': '5',
      spend: 'on',
      'spend-amount': '120.50',
      address: 'on',
    })
    expect(await choicesOf(world)).toEqual([
      { kind: 'address', amount: null },
      { kind: 'spend', amount: 120_500_000 },
      { kind: 'wallet', amount: 5_000_000 },
    ])
    const { text } = await ama.person.visit(page)
    expect(text).toMatch(/name="wallet" checked/)
    expect(text).toMatch(/name="spend-amount"[^>]*value="120\.50"/)
    expect(text).not.toMatch(/name="receiver" checked/)
    await press(ama.person, await visit(), '/alerts', {
      wallet: 'on',
      'wallet-amount': '7.5',
      spend: 'on',
      'spend-amount': '120.5',
    })
    expect(await choicesOf(world)).toEqual([
      { kind: 'spend', amount: 120_500_000 },
      { kind: 'wallet', amount: 7_500_000 },
    ])
    expect((await auditOf(world)).map(({ detail }) => JSON.parse(detail))).toEqual([
      { kind: 'wallet', told: true, amount: 5 },
      { kind: 'spend', told: true, amount: 120.5 },
      { kind: 'address', told: true },
      { kind: 'wallet', told: true, amount: 7.5 },
      { kind: 'address', told: false },
    ])
    const log = await wordsOfLog(world)
    expect(log).toContain('asked to be told when the wallet has less than GHS 7.5')
    expect(log).toContain('asked to be told no more when a key is used from a new address')
  })

  it.each([
    ['', 'Expected an amount above 0, such as 5.00, got “”.'],
    ['0', 'Expected an amount above 0, such as 5.00, got “0”.'],
    ['-1', 'got “-1”.'],
    ['<b>', 'got “&lt;b&gt;”.'],
    ['9'.repeat(40), 'Expected an amount above 0'],
  ])('refuses the amount %j, changes nothing and shows what was typed', async (amount, said) => {
    const world = await open()
    const refused = await press(world.ama.person, await world.visit(), '/alerts', {
      wallet: 'on',
      'wallet-amount': amount,
      receiver: 'on',
    })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain(said)
    expect(refused.text).toMatch(/name="receiver" checked/)
    expect(await choicesOf(world)).toEqual([])
  })

  it('proposes the operator’s amount, and leaves the operator’s warning as it is', async () => {
    const world = await open()
    const { gateway, ama, visit } = world
    await gateway.operator.warn(ama.accountId, micros(10_000_000))
    const { text } = await visit()
    expect(text).toMatch(/name="wallet-amount"[^>]*value="10\.00"/)
    expect(text).toContain('The operator is warned below GHS 10.00.')
    await press(ama.person, await visit(), '/alerts', { wallet: 'on', 'wallet-amount': '1' })
    await press(ama.person, await visit(), '/alerts', {})
    const rows = await gateway.database.read(({ run }) => run('SELECT threshold FROM wallet_warnings', []))
    expect(rows).toEqual([{ threshold: 10_000_000 }])
  })

  it('shows what is there and what was, with their number in the menu, and nothing that was not told', async () => {
    const world = await open()
    await note(world, world.ama)
    const page = await world.visit()
    expect(wordsOf(page)).toMatch(
      /Now .*2001:db8::\/64.*The wallet has GHS 1\.00.*Over, in the last 30 days .*shop/,
    )
    expect(page.text).toContain('<bdi class="strong">Callbacks to &lt;shop.example&gt; wait.</bdi>')
    expect(wordsOf(page)).not.toContain('Not told yet')
    expect(page.text).toMatch(/Alerts<span class="count bad">2<span class="unseen"> there<\/span>/)
  })

  it('ends the alert of an address that somebody knows, and no other and none of another account', async () => {
    const world = await open()
    const other = await world.resident('kofi')
    await note(world, world.ama)
    const theirs = await other.person.visit(world.page)
    expect(wordsOf(theirs)).not.toContain('2001:db8')
    const page = await world.visit()
    for (const alert of ['a1', 'a2', 'none', 'a\u0000'])
      await press(world.ama.person, page, '/alerts/known', { alert })
    expect(wordsOf(await world.visit())).toMatch(/Now .*2001:db8/)
    // Their page has no such form, so they take the ticket of the one that they have.
    const ticket = /name="form_ticket" value="([^"]+)"/.exec(theirs.text)?.[1] ?? ''
    const body = new URLSearchParams({ form_ticket: ticket, alert: 'a3' })
    await other.person.send(`${world.page}/known`, { method: 'POST', body })
    expect(wordsOf(await world.visit())).toMatch(/Now .*2001:db8/)
    await press(world.ama.person, page, '/alerts/known', { alert: 'a3' })
    expect(wordsOf(await world.visit())).toMatch(/Over, in the last 30 days .*2001:db8/)
    expect(await wordsOfLog(world)).toContain('said that the address 2001:db8::/64 is known')
  })

  it('ends what is there of a kind that is chosen no more', async () => {
    const world = await open()
    await press(world.ama.person, await world.visit(), '/alerts', { wallet: 'on', 'wallet-amount': '5' })
    await note(world, world.ama)
    await press(world.ama.person, await world.visit(), '/alerts', {})
    expect(wordsOf(await world.visit())).toMatch(/Over, in the last 30 days .*The wallet has GHS 1\.00/)
  })

  it('is read by everybody of the account, and changed by owners and developers alone', async () => {
    const world = await open()
    await note(world, world.ama)
    for (const role of ['viewer', 'sender', 'developer'] as const) {
      const email = `${role}@ama.example`
      const person = await joinAs(world, world.ama.accountId, { email, role })
      const page = await person.visit(world.page)
      expect(wordsOf(page)).toContain('The wallet has GHS 1.00')
      expect(page.text.includes('action="/alerts"'), role).toBe(role === 'developer')
      expect(page.text.includes('action="/alerts/known"'), role).toBe(role === 'developer')
    }
  })

  it('is changed by no key and no assistant', async () => {
    const world = await open()
    const key = `Basic ${btoa(`${world.ama.clientId}:${world.ama.clientSecret}`)}`
    const assistant = await connect(world.gateway, world.ama.accountId)
    for (const path of ['/alerts', '/alerts/known', '/alerts/mail', '/alerts/code'])
      for (const headers of [{ authorization: key }, assistant.headers]) {
        const body = new URLSearchParams({ wallet: 'on', 'wallet-amount': '5', mail: 'on' })
        const { status } = await fetch(`${world.url}${path}`, {
          method: 'POST',
          headers,
          body,
          redirect: 'manual',
        })
        expect(status, path).toBe(403)
      }
    expect([await choicesOf(world), await auditOf(world)]).toEqual([[], []])
  })

  it('says where the gateway sends no mail', async () => {
    const { visit } = await open()
    const page = await visit()
    expect(wordsOf(page)).toContain('This gateway sends no mail.')
    expect(page.text).not.toContain('action="/alerts/mail"')
  })
})

describe('alerts by mail', () => {
  async function openMailing() {
    const { arrived, mail } = await startSmtp()
    const world = await open({ mail: { ...mail, alerts: [] } })
    return { ...world, arrived }
  }
  const codeIn = (text = '') => /The code is ([A-Z0-9]{5}-[A-Z0-9]{5})\./.exec(text)?.[1] ?? ''
  const byMail = ({ gateway }: Pick<World, 'gateway'>) =>
    gateway.database.read(({ run }) =>
      run(
        `SELECT p.email FROM memberships m JOIN people p ON p.id = m.person_id
         WHERE m.alerts_by_mail = 1 AND p.mail_proven_at > 0 ORDER BY 1`,
        [],
      ),
    )

  it('come to an address when its person has typed the code that was sent there', async () => {
    const world = await openMailing()
    const { ama, arrived, visit } = world
    const asked = await press(ama.person, await visit(), '/alerts/mail', { mail: 'on' })
    expect(wordsOf(asked)).toContain('A mail with a code is on its way to you.')
    await eventually('the code came', () => arrived.length > 0)
    const [one] = arrived
    expect(one?.to).toEqual(['ama@example.com'])
    expect(one && headerOf(one, 'Subject')).toBe('The code for alerts by mail')
    const wrong = await press(ama.person, await visit(), '/alerts/code', { code: 'BBBBB-BBBBB' })
    expect([wrong.status, await byMail(world)]).toEqual([422, []])
    const code = codeIn(one?.text.replace(/=\r\n/g, ''))
    const done = await press(ama.person, await visit(), '/alerts/code', { code: ` ${code.toLowerCase()} ` })
    expect(wordsOf(done)).toContain('Alerts come to ama@example.com')
    expect(await byMail(world)).toEqual([{ email: 'ama@example.com' }])
    await press(ama.person, await visit(), '/alerts/mail', { mail: 'off' })
    expect(await byMail(world)).toEqual([])
    const again = await press(ama.person, await visit(), '/alerts/mail', { mail: 'on' })
    expect(wordsOf(again)).toContain('Alerts come to ama@example.com')
    expect(arrived).toHaveLength(1)
    const log = await wordsOfLog(world)
    expect(log).toMatch(/asked for alerts by mail.*asked for no more alerts by mail/)
  })

  it('ask a stranger once an hour at most, and another’s code is of no use', async () => {
    const world = await openMailing()
    const { ama, arrived, visit } = world
    const kofi = await joinAs(world, ama.accountId, { email: 'kofi@ama.example', role: 'viewer' })
    await press(kofi, await kofi.visit(world.page), '/alerts/mail', { mail: 'on' })
    for (let turn = 0; turn < 5; turn++)
      await press(ama.person, await visit(), '/alerts/mail', { mail: 'on' })
    await eventually('both came', () => arrived.length >= 2)
    expect(arrived.map(({ to }) => to[0]).sort()).toEqual(['ama@example.com', 'kofi@ama.example'])
    const theirs = arrived.find(({ to }) => to[0] === 'kofi@ama.example')
    const refused = await press(ama.person, await visit(), '/alerts/code', {
      code: codeIn(theirs?.text.replace(/=\r\n/g, '')),
    })
    expect([refused.status, await byMail(world)]).toEqual([422, []])
    const waiting = await world.gateway.database.read(({ run }) => run('SELECT id FROM mails', []))
    expect(waiting).toEqual([])
  })
})
