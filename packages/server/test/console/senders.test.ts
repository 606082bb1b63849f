import { describe, expect, it } from 'vitest'
import { openWorld } from '../assistants/oauth/world.ts'

async function open(options?: Parameters<typeof openWorld>[0]) {
  const world = await openWorld(options)
  const ama = await world.resident('ama')
  const page = `${world.url}/sender-ids`
  const ask = async (sender: string) =>
    ama.person.submit(await ama.person.visit(page), { sender }, (to) => to === page)
  return { ...world, ama, page, ask }
}

describe('the page of sender IDs', () => {
  it('lists each with its state, as a shape and a word', async () => {
    const { gateway, ama, page } = await open()
    await gateway.operator.setSender(ama.accountId, 'MAKOLA', 'pending')
    await gateway.operator.setSender(ama.accountId, '12345', 'rejected')
    const { text } = await ama.person.visit(page)
    for (const [sender, icon, word] of [
      ['WIGWAG', 'disc', 'Approved'],
      ['MAKOLA', 'clock', 'Pending'],
      ['12345', 'octagon', 'Rejected'],
    ] as const) {
      const row = new RegExp(
        `<bdi>${sender}</bdi></th><td>[^/]*#i-${icon}"/></svg><span class="word">${word}<`,
      )
      expect(text).toMatch(row)
    }
  })

  it('has them as a CSV file', async () => {
    const { ama, page } = await open()
    const { text, headers } = await ama.person.visit(`${page}.csv`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(text).toMatch(
      /^"sender_id","state","asked_for"\r\n"WIGWAG","approved","20\d\d-[\d-]+T[\d:.]+Z"\r\n$/,
    )
  })

  it('asks for another, which waits for the operator', async () => {
    const { gateway, ama, ask } = await open()
    const done = await ask('  Makola 2 ')
    expect(done.text).toContain('It waits for the operator now.')
    expect(done.text).toContain('<bdi>Makola 2</bdi>')
    const [entry] = await gateway.database.read(({ run }) =>
      run("SELECT actor, account_id, detail FROM audit WHERE action = 'console requestSenderId'", []),
    )
    expect(entry).toEqual({
      actor: expect.stringMatching(/^person:/),
      account_id: ama.accountId,
      detail: '{"outcome":"done","about":"Makola 2"}',
    })
  })

  it('says in a sandbox which command approves what waits, and that command does', async () => {
    const { gateway, ama, page, ask } = await open()
    const { text } = await ask('Makola 2')
    expect(text).toContain(`npx wigwag sender approve ${ama.accountId} &#39;Makola 2&#39;`)
    await gateway.operator.setSender(ama.accountId, 'Makola 2', 'approved')
    expect((await ama.person.visit(page)).text).not.toContain('sender approve')
  })

  it.each([
    ['', 'got &quot;&quot;'],
    ['Shop & Co', 'Shop &amp; Co'],
    ['<b>', '&lt;b&gt;'],
  ])('refuses %j with the rule, and keeps what was typed', async (sender, shown) => {
    const { gateway, ama, ask } = await open()
    const refused = await ask(sender)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain('role="alert"')
    expect(refused.text).toContain('aria-invalid="true"')
    expect(refused.text).toContain(shown)
    const rows = await gateway.database.read(({ run }) =>
      run('SELECT sender FROM sender_ids WHERE account_id = $1', [ama.accountId]),
    )
    expect(rows).toEqual([{ sender: 'WIGWAG' }])
  })

  it('says why one was rejected', async () => {
    const { gateway, ama, page, ask } = await open()
    await gateway.operator.setSender(ama.accountId, 'BANK', 'rejected', { reason: 'It is <a> bank.' })
    const reason = '<bdi>It is &lt;a&gt; bank.</bdi>'
    expect((await ama.person.visit(page)).text).toContain(reason)
    expect((await ask('BANK')).text).toContain(`The operator has rejected it before: ${reason}`)
  })

  it('tells of one that is there already how far it got', async () => {
    const { gateway, ama, ask } = await open()
    await gateway.operator.setSender(ama.accountId, 'BANK', 'rejected')
    expect((await ask('BANK')).text).toContain('The operator has rejected it before.')
    expect((await ask('WIGWAG')).text).toContain('It is approved already')
  })

  it('begins with the form when an account has none', async () => {
    const { gateway, ama, page } = await open()
    await gateway.database.write(({ run }) =>
      run('DELETE FROM sender_ids WHERE account_id = $1', [ama.accountId]),
    )
    const { text } = await ama.person.visit(page)
    expect(text).toContain('Ask for your first sender ID')
    expect(text).not.toContain('<table')
  })

  it('shows nothing of another account', async () => {
    const { gateway, ama, page, resident } = await open()
    const kofi = await resident('kofi')
    await gateway.operator.setSender(kofi.accountId, 'KOFI', 'pending')
    for (const path of [page, `${page}.csv`, `${page}?asked=KOFI`])
      expect((await ama.person.visit(path)).text).not.toMatch(/KOFI<|KOFI,|waits for the operator now/)
  })
})
