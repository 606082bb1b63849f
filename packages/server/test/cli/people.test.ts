import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createPerson } from '../assistants/oauth/person.ts'
import { press } from '../console/forms.ts'
import { open as openStore } from '../support/engine.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
beforeAll(async () => {
  gateway = await startMovedGateway(folder)
})

const ACCOUNT = ['--account', 'boss@acme.example']
const person = (...args: string[]) => gateway.operate(['person', ...args])
const linkIn = (stdout: string) => /#(wi_[\w-]{43})/.exec(stdout)?.[1] ?? ''
const listed = async (): Promise<Record<string, unknown>[]> =>
  JSON.parse((await person('list', ...ACCOUNT, '--json')).stdout)

/** Follows a link, as a person whose browser runs no script would. */
async function follow(secret: string, password: string) {
  const browser = createPerson()
  const page = await press(browser, await browser.visit(`${gateway.url}/invited`), '/invited', {
    link: secret,
  })
  return { browser, page: await press(browser, page, '/join/password', { password }) }
}

describe('wigwag person', () => {
  it('lets people in by links, changes their roles, and takes them out', async () => {
    const made = await gateway.createAccount('boss@acme.example')
    const owner = await follow(linkIn(String(Reflect.get(made, 'ownerLink'))), 'a first long password')
    expect(new URL(owner.page.url).pathname).toBe('/messages')

    const added = await person('add', 'Bo@acme.example', '--role', 'viewer', ...ACCOUNT)
    expect(added.code).toBe(0)
    expect(added.stderr).toContain(
      'as bo@acme.example: see messages, callbacks, the wallet, insights, rates and who did what; change nothing.',
    )
    expect(await listed()).toMatchObject([
      { email: 'boss@acme.example', role: 'owner', signsInWith: 'a password', invitedUntil: null },
      { email: 'bo@acme.example', role: 'viewer', invitedUntil: expect.any(String) },
    ])
    const bo = await follow(linkIn(added.stdout), 'another long password')
    expect(new URL(bo.page.url).pathname).toBe('/messages')
    expect((await bo.browser.visit(`${gateway.url}/send`)).status).toBe(403)
    expect(
      JSON.parse((await person('role', 'bo@acme.example', 'sender', ...ACCOUNT, '--json')).stdout),
    ).toEqual({
      email: 'bo@acme.example',
      role: 'sender',
      changed: true,
    })
    expect((await bo.browser.visit(`${gateway.url}/send`)).status).toBe(200)
    expect((await person('remove', 'bo@acme.example', ...ACCOUNT)).code).toBe(0)
    expect(new URL((await bo.browser.visit(`${gateway.url}/send`)).url).pathname).toBe('/sign-in')
  })

  it('has somebody begin anew, whose sessions end and whose old password is worth nothing', async () => {
    const link = linkIn((await person('add', 'cy@acme.example', '--role', 'developer', ...ACCOUNT)).stdout)
    const { browser } = await follow(link, 'what is lost then')
    const reset = await person('reset-factors', 'cy@acme.example', ...ACCOUNT, '--reason', 'a lost phone')
    expect(new URL((await browser.visit(`${gateway.url}/keys`)).url).pathname).toBe('/sign-in')
    const signIn = await browser.visit(`${gateway.url}/sign-in`)
    const tried = await press(browser, signIn, '/sign-in', {
      email: 'cy@acme.example',
      password: 'what is lost then',
    })
    expect(tried.status).toBe(401)
    expect((await follow(linkIn(reset.stdout), 'what is new now')).page.url).toContain('/messages')
    const { stdout } = await gateway.operate(['audit', '--action', 'person.reset-factors', '--json'])
    expect(JSON.parse(stdout)).toMatchObject([
      { detail: { person: 'cy@acme.example', reason: 'a lost phone' } },
    ])
    const by = await gateway.operate(['audit', '--actor', 'person:cy@acme.example', '--json'])
    expect(JSON.parse(by.stdout)[0]).toMatchObject({
      actor: 'person:cy@acme.example',
      action: 'portal.sign-in',
    })
  })

  it('ends the assistants of who begins anew, unless they are kept', async () => {
    const made = await gateway.createAccount('assisted@acme.example')
    const keep = ['--account', 'assisted@acme.example', '--keep-assistants']
    const database = openStore(gateway.database)
    onTestFinished(() => database.close())
    const rows = (sql: string) => database.write(({ run }) => run<{ id: string; endedAt: number }>(sql, []))
    const account = `'${made.accountId}'`
    await rows(
      `INSERT INTO connections (id, account_id, wallet_id, person_id, grant_id, client_id, client_name,
         redirect_host, can_send, daily_spend, daily_messages, created_at)
       SELECT 'assistant', m.account_id, w.id, m.person_id, 'g', 'c', 'c', 'c', 0, 0, 0, 1
       FROM memberships m JOIN wallets w ON w.account_id = m.account_id WHERE m.account_id = ${account}`,
    )
    const ended = async () => {
      const [row] = await rows(
        `SELECT id, ended_at AS "endedAt" FROM connections WHERE account_id = ${account}`,
      )
      return (row?.endedAt ?? 0) > 0
    }
    const kept = await person('reset-factors', 'assisted@acme.example', ...keep)
    expect([kept.code, await ended()]).toEqual([0, false])
    const reset = await person('reset-factors', 'assisted@acme.example', ...keep.slice(0, 2))
    expect([reset.code, await ended()]).toEqual([0, true])
    expect(reset.stderr).toContain('signed out everywhere, and so are their assistants.')
  })

  it('says whose sign-in an address has already, and lets it in by the link alone', async () => {
    const link = linkIn((await person('add', 'big@corp.example', '--role', 'viewer', ...ACCOUNT)).stdout)
    const { browser } = await follow(link, 'claimed with this')
    const text = await gateway.operate(['account', 'create', '--name', 'Big', '--email', 'big@corp.example'])
    expect(text.code).toBe(0)
    const said =
      /^CAREFUL: big@corp\.example signs in here already:\n {2}since [\d-]{10}, in account (\S+) \(Acme\), as viewer\n/m
    const boss = said.exec(text.stderr)?.[1] ?? ''
    expect(text.stderr).toContain(`wigwag person remove big@corp.example --account ${boss} removes it;`)
    const mine = ['--account', 'big@corp.example', '--json']
    expect(JSON.parse((await person('list', ...mine)).stdout)).toMatchObject([
      { email: 'big@corp.example', role: 'owner', invitedUntil: expect.any(String) },
    ])
    expect((await browser.visit(`${gateway.url}/accounts`)).text).not.toContain('Big')
    const form = await browser.visit(`${gateway.url}/invited`)
    const page = await press(browser, form, '/invited', { link: linkIn(text.stdout) })
    await press(browser, page, '/join/accept')
    expect((await browser.visit(`${gateway.url}/accounts`)).text).toContain('Big')

    const made = await gateway.createAccount('big2@corp.example')
    expect(made).toMatchObject({ ownerSignsInTo: [] })
    const added = await person(
      'add',
      'big@corp.example',
      '--role',
      'owner',
      '--account',
      made.accountId,
      '--json',
    )
    expect(JSON.parse(added.stdout).signsInTo).toMatchObject([
      { accountId: boss, name: 'Acme', role: 'viewer' },
      { name: 'Big', role: 'owner' },
    ])
  })

  it('keeps an owner, and says what is not possible', async () => {
    const refused = [
      [
        await person('remove', 'boss@acme.example', ...ACCOUNT),
        /only owner of account \S+, and an account keeps one/,
      ],
      [await person('role', 'boss@acme.example', 'viewer', ...ACCOUNT), /only owner/],
      [await person('role', 'nobody@acme.example', 'viewer', ...ACCOUNT), /is not in account/],
      [await person('add', 'boss@acme.example', '--role', 'viewer', ...ACCOUNT), /can sign in/],
      [await person('remove', 'nobody@acme.example', ...ACCOUNT), /has no link/],
      [
        await person('add', 'x@acme.example', '--role', 'viewer', '--account', 'none@acme.example'),
        /no account/,
      ],
    ] as const
    for (const [{ code, stderr }, said] of refused) {
      expect(code).toBe(1)
      expect(stderr).toMatch(said)
    }
    expect((await person('add', 'x@acme.example', '--role', 'boss', ...ACCOUNT)).code).toBe(2)
    expect((await person('limit', ...ACCOUNT)).code).toBe(2)
  })

  it('requires a second factor, and limits assistants', async () => {
    const once = await person('require-factor', 'on', ...ACCOUNT, '--json')
    const twice = await person('require-factor', 'on', ...ACCOUNT, '--json')
    expect([once, twice].map(({ stdout }) => JSON.parse(stdout).changed)).toEqual([true, false])
    expect((await person('limit', 'boss@acme.example', '--spend', '2.5', ...ACCOUNT)).code).toBe(0)
    expect(await listed()).toContainEqual(
      expect.objectContaining({ email: 'boss@acme.example', limits: { spend: 2.5, messages: null } }),
    )
    expect((await person('limit', 'boss@acme.example', '--none', ...ACCOUNT)).code).toBe(0)
    expect((await listed())[0]).toMatchObject({ limits: null })
  })
})
