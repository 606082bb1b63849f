import { randomUUID } from 'node:crypto'
import { micros } from '@wigwag/contract'
import { describe, expect, it } from 'vitest'
import { createPerson } from '../assistants/oauth/person.ts'
import { csvRows } from '../console/csv-rows.ts'
import { press, wordsOf } from '../console/forms.ts'
import { connect } from '../support/assistants.ts'
import { ENGINES } from '../support/bench.ts'
import { BALANCE, call, SINGLE, single } from '../support/front.ts'
import { joinAs } from '../support/people.ts'
import { openDesk, openDeskOn, shareDeskOn } from './desk.ts'

describe.each(ENGINES)('the customers, on %s', async (engine) => {
  const { desk, person, visit } = await shareDeskOn(engine)
  const customer = (balance = 5_000_000) => desk.account('acme', balance, `acme-${randomUUID()}@example.com`)
  const audited = (action: string, { accountId }: { accountId: string }) =>
    desk.gateway.database.read(({ run }) =>
      run('SELECT actor, detail FROM audit WHERE action = $1 AND account_id = $2 ORDER BY id DESC', [
        action,
        accountId,
      ]),
    )

  it('are found by name, e-mail, account ID, client ID and sender ID, fifty a page', async () => {
    const { desk, visit } = await openDeskOn(engine)
    const acme = await desk.account('acme', 1_500_000)
    for (let n = 0; n < 51; n++) await desk.account(`other${n}`, 0)
    await desk.gateway.operator.setSender('acme@example.com', 'AcmeShop', 'approved')
    for (const q of ['ACM', 'acme@example', acme.accountId, acme.clientId, 'acmeshop']) {
      const words = wordsOf(await visit(`/customers?q=${encodeURIComponent(q)}`))
      expect(words, q).toContain('acme acme@example.com GHS 1.50 GHS 0.00 0 never Active')
      expect(words, q).not.toContain('other1')
    }
    for (const q of ['nobody', '%', '_cme', '\0'])
      expect(wordsOf(await visit(`/customers?q=${encodeURIComponent(q)}`)), q).not.toContain('GHS 1.50')
    const first = await visit('/customers')
    expect(first.text.match(/<tr>/g)).toHaveLength(51)
    expect(first.text).toContain('other50')
    const older = /href="(\/customers\?before=[^"]+)"/.exec(first.text)?.[1] ?? ''
    const second = wordsOf(await visit(older))
    expect(second).toContain('acme@example.com')
    expect(second).not.toContain('other50')
  })

  it('are counted, sorted and filtered by state, and their pages keep that', async () => {
    const { desk, visit } = await openDeskOn(engine)
    for (let n = 0; n < 52; n++) await desk.account(`other${String(n).padStart(2, '0')}`, 5_000_000)
    const poor = await desk.account('Zed', 1_000_000)
    await desk.gateway.operator.setStatus(poor.accountId, 'suspended')
    const namesOn = ({ text }: { text: string }) =>
      [...text.matchAll(/<a class="strong" href="\/customers\/[^"]*"><bdi>([^<]*)/g)].map(([, name]) => name)
    const first = await visit('/customers?order=name')
    // With the demo account.
    expect(first.text).toContain('<span class="soft">54</span>')
    expect(namesOn(first).slice(1, 3)).toEqual(['other00', 'other01'])
    expect(namesOn(first)).toHaveLength(50)
    const further = /href="([^"]*)">\s*Further on/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(namesOn(await visit(further))).toEqual(['other49', 'other50', 'other51', 'Zed'])
    expect(namesOn(await visit('/customers?order=balance'))[0]).toBe('Zed')
    await desk.gateway.database.write(({ run }) =>
      run(`UPDATE keys SET used_at = 5 WHERE kind = 'client' AND account_id = $1`, [poor.accountId]),
    )
    const seen = namesOn(await visit('/customers?order=seen'))
    expect([seen[0], seen.length]).toEqual(['Zed', 50])
    const suspended = await visit('/customers?state=suspended&order=seen')
    expect(namesOn(suspended)).toEqual(['Zed'])
    expect(suspended.text).toContain('<span class="soft">1</span>')
    for (const odd of ['order=%00', 'state=erased', 'order=name&page=99999', 'order=name&page=-1', 'page=2'])
      expect((await visit(`/customers?${odd}`)).status, odd).toBe(200)
  })

  it('are made with a wallet and keys that work, and with secrets that are shown once', async () => {
    const values = { name: 'Acme <b>', email: 'ops@acme.example', currency: 'GHS', balance: '12.5' }
    const wrong = await press(person, await visit('/customers/new'), '/customers/new', {
      ...values,
      email: 'nobody',
      balance: '-1',
      currency: 'GHC',
      senders: 'A!',
    })
    expect(wrong.status).toBe(422)
    for (const text of [
      'an e-mail address',
      'an amount such as',
      'ISO 4217',
      'senders-error',
      'value="-1"',
      'value="GHC"',
    ])
      expect(wrong.text).toContain(text)
    const made = await press(person, wrong, '/customers/new', { ...values, senders: 'Acme, Acme Shop' })
    expect(made.text).toContain('The secrets of <bdi>Acme &lt;b&gt;</bdi>')
    const value = (id: string) => new RegExp(`<pre id="${id}"[^>]*>([^<]+)`).exec(made.text)?.[1] ?? ''
    const secrets = {
      accountId: value('account'),
      clientId: value('client'),
      clientSecret: value('secret'),
      walletToken: value('token'),
      callbackSecret: value('callback'),
    }
    const balance = await call(desk.url, secrets, { path: BALANCE })
    expect(JSON.parse(balance.text)).toMatchObject({ balance: 12.5 })
    const page = await visit(`/customers/${secrets.accountId}`)
    expect(page.text).not.toContain(secrets.clientSecret)
    expect(wordsOf(page)).toContain('Acme Shop')
    expect(await audited('account.create', secrets)).toContainEqual(
      expect.objectContaining({ actor: 'operator:ada' }),
    )
    const again = await press(person, wrong, '/customers/new', values)
    expect([again.status, again.text.includes('There is a customer with ops@acme.example')]).toEqual([
      422,
      true,
    ])
  })

  it('are not of a person who claimed the address before, until they follow the link and sign in', async () => {
    const { accountId } = await customer(0)
    const email = 'boss@bigcorp.example'
    const claimed = await joinAs(desk, accountId, { email, role: 'viewer' })
    const values = { name: 'Big Corp', email, currency: 'GHS', balance: '5000', senders: '' }
    const made = await press(person, await visit('/customers/new'), '/customers/new', values)
    expect(wordsOf(made)).toMatch(
      /boss@bigcorp\.example signs in here already since \S+ \S+ \d+, in account acme/,
    )
    expect(made.text).toContain(`href="/customers/${accountId}/people"`)
    expect((await claimed.visit(`${desk.url}/accounts`)).text).not.toContain('Big Corp')

    const link = /#(wi_[\w-]{43})/.exec(made.text)?.[1] ?? ''
    const page = await press(claimed, await claimed.visit(`${desk.url}/invited`), '/invited', { link })
    expect(wordsOf(page)).toContain('in the role owner')
    await press(claimed, page, '/join/accept')
    expect((await claimed.visit(`${desk.url}/accounts`)).text).toContain('Big Corp')
  })

  it('are credited and debited once for each reference, after the balance before and then is said', async () => {
    const { accountId } = await customer()
    const path = `/customers/${accountId}/money`
    const asked = await visit(`${path}?kind=credit&amount=2.5&reference=R-1&reason=paid`)
    expect(wordsOf(asked)).toContain('Balance now GHS 5.00 Then GHS 7.50')
    const words = [await press(person, asked, path), await press(person, asked, path)].map(wordsOf)
    expect(words[0]).toContain('GHS 2.50 added, reference R-1 . The balance is GHS 7.50 now.')
    expect(words[1]).toContain('Nothing was changed; the balance is GHS 7.50.')
    expect(await audited('wallet.credit', { accountId })).toEqual([
      { actor: 'operator:ada', detail: '{"amount":2.5,"reference":"R-1","reason":"paid"}' },
    ])
    for (const [query, text] of [
      ['kind=debit&amount=7.6&reference=R-2', 'Expected an amount of at most GHS 7.50.'],
      ['kind=debit&amount=2.5&reference=R-1', 'R-1 is the reference of GHS 2.50 added'],
      ['kind=credit&amount=9007199253&reference=R-2', 'a wallet can hold at most 9007199254'],
      ['kind=credit&amount=1e3&reference=', 'an amount such as 50'],
    ] as const) {
      const page = await visit(`${path}?${query}`)
      expect([page.status, page.text], query).toEqual([422, expect.stringContaining(text)])
    }
    await press(person, await visit(`${path}?kind=debit&amount=7.5&reference=R-2`), path)
    const statement = wordsOf(await visit(`/customers/${accountId}/statement`))
    expect(statement).toMatch(/Taken back − GHS 7\.50 GHS 0\.00 R-2 .* Added \+ GHS 2\.50 GHS 7\.50 R-1/)
    expect((await visit(`/customers/${accountId}/statement?since=soon`)).status).toBe(422)
  })

  it('have a statement of fifty entries a page, without one twice', async () => {
    const { accountId } = await customer()
    for (let n = 1; n <= 60; n++) await desk.gateway.operator.credit(accountId, micros(1_000_000), `R-${n}.`)
    const first = await visit(`/customers/${accountId}/statement?since=2d`)
    const older = /href="([^"]+before=\d+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const second = await visit(older)
    const found = [first, second].map(({ text }) => text.match(/R-\d+\./g) ?? [])
    expect(found.map(({ length }) => length)).toEqual([50, 10])
    expect(new Set(found.flat()).size).toBe(60)
  })

  it('have a statement of a period, also as a file', async () => {
    const { accountId } = await customer()
    const today = new Date(desk.gateway.clock.now()).toISOString().slice(0, 10)
    await desk.gateway.operator.credit(accountId, micros(2_500_000), 'INV <7>')
    await desk.gateway.operator.debit(accountId, micros(1_000_000), '=BACK')
    const path = `/customers/${accountId}/statement`
    const shown = await visit(`${path}?since=${today}&until=${today}`)
    expect(wordsOf(shown)).toMatch(/Taken back − GHS 1\.00 GHS 6\.50 =BACK .* GHS 5\.00/)
    const file = /href="([^"]+statement\.csv[^"]*)"/.exec(shown.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    expect(csvRows((await visit(file)).text).map(([, ...cells]) => cells)).toEqual([
      ['kind', 'amount', 'currency', 'before', 'after', 'reference', 'ticket'],
      ['debit', '-1', 'GHS', '7.5', '6.5', "'=BACK", ''],
      ['credit', '2.5', 'GHS', '5', '7.5', 'INV <7>', ''],
      ['credit', '5', 'GHS', '0', '5', '', ''],
    ])
    expect(csvRows((await visit(`${path}.csv?until=2020-01-01`)).text)).toHaveLength(1)
    for (const query of ['until=soon', `since=${today}&until=2020-01-01`, 'since=%00']) {
      for (const asked of [path, `${path}.csv`]) {
        const page = await visit(`${asked}?${query}`)
        expect([page.status, wordsOf(page)], query).toEqual([422, expect.stringContaining('Expected ')])
      }
    }
  })

  it('are renamed and get another address, which is the account’s own', async () => {
    const acme = await customer()
    const other = await customer()
    const path = `/customers/${acme.accountId}`
    const [, email = ''] = /<dd><bdi>([^<]+@[^<]+)<\/bdi>/.exec((await visit(path)).text) ?? []
    const [, taken = ''] =
      /<dd><bdi>([^<]+@[^<]+)<\/bdi>/.exec((await visit(`/customers/${other.accountId}`)).text) ?? []
    const asked = await visit(`${path}/edit`)
    expect(wordsOf(asked)).toContain('Its people sign in with theirs, which stay as they are')
    for (const [values, said] of [
      [{ name: ' ' }, 'Expected a name of 1 to 100 characters.'],
      [{ name: 'x'.repeat(101) }, 'Expected a name of 1 to 100 characters.'],
      [{ name: 'A\nB' }, 'Expected a name of 1 to 100 characters.'],
      [{ email: 'nobody' }, 'Expected an e-mail address'],
      [{ email: taken }, `there is already an account for ${taken}.`],
    ] as const) {
      const typed = Object.assign({ name: 'Acme', email }, values)
      const wrong = await press(person, asked, `${path}/edit`, typed)
      expect([wrong.status, wordsOf(wrong)], said).toEqual([422, expect.stringContaining(said)])
    }
    const values = { name: 'Acme <i>Ltd</i>', email: `new-${email}`, reason: 'it asked' }
    const done = await press(person, asked, `${path}/edit`, values)
    expect(wordsOf(done)).toContain('Its name and address are saved.')
    expect(done.text).toContain('<bdi>Acme &lt;i&gt;Ltd&lt;/i&gt;</bdi>')
    expect(wordsOf(await visit(`${path}/people`))).toContain(email)
    expect(await audited('account.edit', acme)).toEqual([
      {
        actor: 'operator:ada',
        detail: JSON.stringify({
          name: 'Acme <i>Ltd</i>',
          nameBefore: 'acme',
          email: `new-${email}`,
          emailBefore: email,
          reason: 'it asked',
        }),
      },
    ])
    const { person: lou } = await desk.operator(`lou-${randomUUID()}`, 'look')
    expect((await lou.visit(`${desk.deskUrl}${path}/edit`)).status).toBe(403)
    expect((await lou.visit(desk.deskUrl + path)).text).not.toContain('/edit"')
  })

  it('are suspended and restored, and their threshold is set', async () => {
    const acme = await customer()
    const path = `/customers/${acme.accountId}`
    const asked = await visit(`${path}/standing`)
    expect(wordsOf(asked)).toContain('0 messages that are scheduled or under way go on to the end')
    const done = await press(person, asked, `${path}/standing`, { reason: 'unpaid' })
    expect(wordsOf(done)).toContain('It is suspended')
    expect((await call(desk.url, acme, { path: BALANCE })).status).toBe(403)
    expect(await audited('account.suspend', acme)).toEqual([
      { actor: 'operator:ada', detail: '{"reason":"unpaid"}' },
    ])
    await press(person, await visit(`${path}/standing`), `${path}/standing`)
    expect((await call(desk.url, acme, { path: BALANCE })).status).toBe(200)

    const wrong = await press(person, await visit(path), `${path}/warn`, { below: 'much' })
    expect([wrong.status, wrong.text.includes('value="much"')]).toEqual([422, true])
    const warned = wordsOf(await press(person, wrong, `${path}/warn`, { below: '6' }))
    expect(warned).toContain('It is low: warns below GHS 6.00')
    expect(wordsOf(await press(person, await visit(path), `${path}/warn`, { below: '' }))).toContain(
      'not watched',
    )
  })

  it('get a new key once, and the old one works as long as was chosen', async () => {
    const acme = await customer()
    const path = `/customers/${acme.accountId}`
    const page = await visit(path)
    const client = {
      ...page,
      text: page.text.replace(/<form(?:(?!<\/form>).)*value="(?:wallet|callback)".*?<\/form>/gs, ''),
    }
    const made = await press(person, client, `${path}/keys/rotate`, { keep: 'PT1H' })
    const clientSecret = /<pre id="secret"[^>]*>(ws_[^<]+)/.exec(made.text)?.[1] ?? ''
    for (const secret of [acme.clientSecret, clientSecret])
      expect((await call(desk.url, { ...acme, clientSecret: secret }, { path: BALANCE })).status).toBe(200)
    expect((await press(person, client, `${path}/keys/rotate`, { keep: 'PT1H' })).status).toBe(409)
    const end = await visit(path)
    const ended = await press(person, end, `${path}/keys/end`)
    expect(wordsOf(ended)).toContain('The old key stops working within a second.')
    await desk.until('the old one ended', async () =>
      (await call(desk.url, acme, { path: BALANCE })).status === 401 ? true : undefined,
    )
    expect((await call(desk.url, { ...acme, clientSecret }, { path: BALANCE })).status).toBe(200)

    const [current] = await desk.gateway.operator.keys(acme.accountId)
    for (const none of [{}, { key: current?.id ?? '' }, { key: 'none' }]) {
      const refused = await press(person, end, `${path}/keys/end`, none)
      expect([refused.status, wordsOf(refused).includes('There is no such old key')]).toEqual([409, true])
      expect(wordsOf(refused)).not.toContain('stops working')
    }
    expect((await call(desk.url, { ...acme, clientSecret }, { path: BALANCE })).status).toBe(200)
  })

  it('lose their assistants, one or all, and see what each may do', async () => {
    const { accountId } = await customer()
    const limits = {
      dailySpend: micros(2_000_000),
      dailyMessages: 7,
      recipients: undefined,
      unasked: 'send',
    } as const
    const first = await connect(desk.gateway, accountId, limits)
    for (let n = 0; n < 2; n++) await connect(desk.gateway, accountId)
    const path = `/customers/${accountId}`
    expect(wordsOf(await visit(path))).toContain('GHS 2.00, 7 messages')
    const end = async (connection: string) =>
      press(person, await visit(path), `${path}/connections/end`, { connection })
    expect(wordsOf(await end(first.id)).match(/ ended /g)).toHaveLength(1)
    // Twice is once.
    expect((await end(first.id)).status).toBe(200)
    expect(wordsOf(await end('all')).match(/ ended /g)).toHaveLength(3)
    expect(await audited('connection.end', { accountId })).toHaveLength(3)
  })

  it('are exported as a file, without secrets, and erased after their name is typed', async () => {
    const acme = await customer()
    const path = `/customers/${acme.accountId}`
    for (let n = 0; n < 3; n++) await call(desk.url, acme, { path: SINGLE, body: single() })
    await desk.until('all are delivered', async () =>
      wordsOf(await visit(path)).includes('for 0 messages') ? true : undefined,
    )
    const file = await press(person, await visit(path), `${path}/export`)
    expect(file.headers.get('content-disposition')).toContain('attachment')
    const lines = file.text.trim().split('\n')
    const kinds = lines.map((line) => JSON.parse(line).kind)
    expect(kinds.filter((kind) => kind === 'messages')).toHaveLength(3)
    expect(kinds).toContain('hourly-totals')
    expect(lines.join()).not.toContain('stored')
    expect(await audited('account.export', acme)).toHaveLength(1)

    expect(wordsOf(await visit(`${path}/erase`))).toContain('Only a suspended customer can be erased')
    await desk.gateway.operator.setStatus(acme.accountId, 'suspended')
    const asked = await visit(`${path}/erase`)
    expect(wordsOf(asked)).toContain('3 messages and everything about them are deleted')
    expect(wordsOf(asked)).toMatch(/GHS 4\.\d+ are left\. They stay in the books/)
    const wrong = await press(person, asked, `${path}/erase`, { name: 'Acme' })
    expect([wrong.status, wordsOf(wrong)]).toEqual([
      422,
      expect.stringContaining('Expected acme, as it is written'),
    ])
    expect(wordsOf(wrong)).toContain('Expected a mark here, because money is left.')
    const done = await press(person, asked, `${path}/erase`, { name: 'acme', despiteBalance: 'yes' })
    expect(wordsOf(done)).toContain('This customer is erased')
    const [left] = await desk.gateway.database.read(({ run }) =>
      run<{ count: number }>('SELECT count(*) AS count FROM messages WHERE account_id = $1', [
        acme.accountId,
      ]),
    )
    expect(left?.count).toBe(0)
    expect(wordsOf(await visit(path))).toContain('This customer is erased')
    expect(wordsOf(await visit('/customers'))).toContain('Erased')
  })

  it('are shown to who looks, who changes none of it', async () => {
    const { accountId } = await customer()
    const { person: lou } = await desk.operator('lou', 'look')
    const path = `/customers/${accountId}`
    const page = await lou.visit(desk.deskUrl + path)
    expect([page.status, /<form[^>]*action="\/customers/.test(page.text)]).toEqual([200, false])
    for (const below of ['/money', '/standing', '/erase'])
      expect((await lou.visit(desk.deskUrl + path + below)).status, below).toBe(403)
    expect((await lou.visit(`${desk.deskUrl}/customers/nobody`)).status).toBe(404)
    expect((await createPerson().visit(desk.deskUrl + path)).url).toContain('/sign-in?next=')
  })
})

it('asks again who it is for money, secrets, all of a customer’s data and what can’t be undone', async () => {
  const desk = await openDesk()
  const { person, recoveryCodes } = await desk.operator('ada')
  const { accountId } = await desk.account('acme', 5_000_000)
  await desk.gateway.operator.setStatus(accountId, 'suspended')
  for (let n = 0; n < 2; n++) await connect(desk.gateway, accountId)
  await desk.pass(11 * 60_000)
  const path = `/customers/${accountId}`
  const forms = [
    [`${path}/money?kind=credit&amount=1&reference=R`, `${path}/money`],
    [path, `${path}/keys/rotate`],
    [path, `${path}/connections/end`],
    [path, `${path}/export`],
    ['/messages/callbacks/replay', '/messages/callbacks/replay'],
    [`${path}/erase`, `${path}/erase`],
    ['/customers/new', '/customers/new'],
  ] as const
  for (const [from, to] of forms) {
    const asked = await press(person, await person.visit(desk.deskUrl + from), to, { name: 'acme' })
    expect([asked.status, asked.text.includes('Is it you?')], to).toEqual([401, true])
  }
  const page = wordsOf(await person.visit(desk.deskUrl + path))
  expect(page).not.toContain(' ended ')
  expect(page).toContain('Balance GHS 5.00')
  expect(page).not.toContain('Old ')

  const asked = await press(person, await person.visit(desk.deskUrl + path), `${path}/export`)
  const byCode = { ...asked, text: asked.text.replace(/<form[^>]*data-passkey.*?<\/form>/s, '') }
  const file = await press(person, byCode, `${path}/export`, { code: recoveryCodes[0] ?? '' })
  expect(file.headers.get('content-disposition')).toContain(accountId)
  expect((await person.visit(desk.deskUrl + path)).status).toBe(200)
})
