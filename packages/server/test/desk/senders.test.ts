import { describe, expect, it } from 'vitest'
import { press, wordsOf } from '../console/forms.ts'
import { ENGINES } from '../support/bench.ts'
import { openDeskOn } from './desk.ts'

describe.each(ENGINES)('the sender IDs that wait, on %s', (engine) => {
  async function open() {
    const { desk, person, visit } = await openDeskOn(engine)
    const { gateway } = desk
    const wait = (account: string, sender: string) =>
      gateway.operator.setSender(`${account}@example.com`, sender, 'pending')
    const audited = () =>
      gateway.database.read(({ run }) =>
        run(
          "SELECT actor, action, detail FROM audit WHERE actor = 'operator:ada' AND action LIKE 'sender.%'",
          [],
        ),
      )
    const listed = async (account: string) => {
      const { rows } = await gateway.database.read(async ({ run }) => ({
        rows: await run<{ sender: string; status: string; reason: string | null }>(
          `SELECT sender, s.status, reason FROM sender_ids s JOIN accounts a ON a.id = s.account_id
           WHERE email = $1 AND sender <> 'WIGWAG' ORDER BY sender`,
          [`${account}@example.com`],
        ),
      }))
      return rows
    }
    return { desk, person, visit, wait, audited, listed }
  }

  it('are listed with who asks and what looks alike, of whom', async () => {
    const { desk, visit, wait } = await open()
    for (const name of ['acme', 'bank', 'evil']) await desk.account(name, 0)
    await desk.gateway.operator.setSender('bank@example.com', 'MyBank', 'approved')
    await desk.gateway.operator.setSender('bank@example.com', '23324', 'approved')
    await wait('evil', 'mybank')
    await wait('acme', 'MYBANKS')
    await wait('acme', '233241234567')
    await wait('acme', 'Ac')
    const words = wordsOf(await visit('/senders'))
    expect(words).toContain('4 wait, the oldest first')
    expect(words).toMatch(/mybank evil [\d:]+ MyBank approved, bank MYBANKS waits too, acme Approve/)
    expect(words).toMatch(/MYBANKS acme [\d:]+ MyBank approved, bank mybank waits too, evil Approve/)
    // All numbers of a country begin alike.
    expect(words).toMatch(/233241234567 acme [\d:]+ none Approve/)
    expect(words).toMatch(/ Ac acme [\d:]+ none Approve/)
  })

  it('are fifty a page, none twice', async () => {
    const { desk, visit, wait } = await open()
    for (const name of ['acme', 'bank', 'corp']) {
      await desk.account(name, 0)
      for (let n = 0; n < 18; n++) await wait(name, `${name} x${n}`)
    }
    const first = await visit('/senders')
    const next = /href="(\/senders\?after=[^"]+)"/.exec(first.text)?.[1] ?? ''
    const second = await visit(next)
    const found = [first, second].map(({ text }) => text.match(/plain strong"><bdi>[^<]+/g) ?? [])
    expect(found.map(({ length }) => length)).toEqual([50, 4])
    expect(new Set(found.flat()).size).toBe(54)
  })

  it('are approved once, however often it is pressed', async () => {
    const { desk, person, visit, wait, audited, listed } = await open()
    await desk.account('acme', 0)
    await wait('acme', 'Acme Shop')
    const page = await visit('/senders')
    const words = [
      await press(person, page, '/senders/approve'),
      await press(person, page, '/senders/approve'),
    ]
    expect(wordsOf(words[0] ?? page)).toContain('Acme Shop is approved.')
    expect(wordsOf(words[1] ?? page)).toContain('Acme Shop is approved already. Nothing was changed now.')
    expect(await listed('acme')).toEqual([{ sender: 'Acme Shop', status: 'approved', reason: null }])
    expect(await audited()).toEqual([
      { actor: 'operator:ada', action: 'sender.approved', detail: '{"sender":"Acme Shop"}' },
    ])
  })

  it('are rejected with a reason that the customer sees, and what is decided stays', async () => {
    const { desk, person, visit, wait, audited, listed } = await open()
    const { accountId } = await desk.account('acme', 0)
    await wait('acme', 'MyBank')
    const list = await visit('/senders')
    const path = /href="(\/senders\/reject\?[^"]+)"/.exec(list.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const asked = await visit(path)
    const wrong = await press(person, asked, '/senders/reject', { reason: ' ' })
    expect([wrong.status, wordsOf(wrong)]).toEqual([
      422,
      expect.stringContaining('Expected 1 to 500 characters on one line.'),
    ])
    const done = await press(person, wrong, '/senders/reject', { reason: 'It is <a bank>’s.' })
    expect(wordsOf(done)).toContain('MyBank is rejected.')
    expect(wordsOf(await press(person, list, '/senders/approve'))).toContain('MyBank is rejected already.')
    expect(await listed('acme')).toEqual([
      { sender: 'MyBank', status: 'rejected', reason: 'It is <a bank>’s.' },
    ])
    expect(await audited()).toEqual([
      {
        actor: 'operator:ada',
        action: 'sender.rejected',
        detail: '{"sender":"MyBank","reason":"It is <a bank>’s."}',
      },
    ])
    expect(wordsOf(await visit(`/customers/${accountId}`))).toContain('MyBank Rejected It is <a bank>’s.')
    expect((await visit(path)).url).toContain('before=yes')
    await desk.gateway.operator.setSender(accountId, 'MyBank', 'approved')
    expect(await listed('acme')).toEqual([{ sender: 'MyBank', status: 'approved', reason: null }])
  })

  it('are decided otherwise from the customer’s page, while they are as it showed them', async () => {
    const { desk, person, visit, wait, listed } = await open()
    const { accountId } = await desk.account('acme', 0)
    const decide = (status: 'approved' | 'rejected') =>
      desk.gateway.operator.setSender(accountId, 'MyBank', status)
    await wait('acme', 'MyBank')
    await decide('approved')
    const path = `/senders/reject?account=${accountId}&sender=MyBank&seen=approved`
    const theirs = await visit(`/customers/${accountId}`)
    expect(theirs.text).toContain(path.replaceAll('&', '&amp;'))
    const asked = await visit(path)
    const done = await press(person, asked, '/senders/reject', { reason: 'It is not theirs.' })
    expect(wordsOf(done)).toContain('MyBank is rejected.')
    expect(await listed('acme')).toMatchObject([{ status: 'rejected', reason: 'It is not theirs.' }])
    const again = await visit(`/customers/${accountId}`)
    expect(wordsOf(await press(person, again, '/senders/approve'))).toContain('MyBank is approved.')
    await decide('rejected')
    expect(wordsOf(await press(person, asked, '/senders/reject', { reason: 'Old.' }))).toContain('already')
    expect(await listed('acme')).toMatchObject([{ status: 'rejected', reason: null }])
  })

  it('are decided by who acts, and are those of customers', async () => {
    const { desk, visit, wait } = await open()
    const { accountId } = await desk.account('acme', 0)
    await wait('acme', 'Acme')
    for (const query of [
      '',
      '?account=nobody&sender=Acme',
      `?account=${accountId}&sender=Other`,
      '?account=%00',
    ])
      expect((await visit(`/senders/reject${query}`)).status, query).toBe(404)
    const { person } = await desk.operator('lou', 'look')
    const page = await person.visit(`${desk.deskUrl}/senders`)
    expect([page.status, /action="\/senders/.test(page.text)]).toEqual([200, false])
    const reject = `${desk.deskUrl}/senders/reject?account=${accountId}&sender=Acme`
    expect((await person.visit(reject)).status).toBe(403)
  })
})
