import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { eras } from '../../../mcp/test/fixtures/stateless.ts'
import { verifyPasswordHere } from '../../src/sign-in/portal/passwords/password-hash.ts'
import { basic } from '../support/harness.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
beforeAll(async () => {
  gateway = await startMovedGateway(folder)
})

/** The stored hash of an account's password. */
function storedPassword(email: string): string {
  const database = new Sqlite(gateway.database.slice('file:'.length), { readonly: true })
  const hash = database.prepare('SELECT password_hash FROM people WHERE email = ?').pluck()
  const stored = String(hash.get(email))
  database.close()
  return stored
}

describe('wigwag account', () => {
  it('makes an account whose credentials send a message at once', async () => {
    const account = await gateway.createAccount('first@acme.example')
    expect(Object.keys(account)).toEqual([
      'accountId',
      'clientId',
      'clientSecret',
      'walletToken',
      'callbackSecret',
      'ownerLink',
      'ownerSignsInTo',
    ])
    const response = await gateway.send(account)
    expect(response.status).toBe(200)
    expect(await gateway.balanceOf(account)).toBeLessThan(100)
  })

  it('prints credentials for people without --json, and says so on stderr alone', async () => {
    const args = ['account', 'create', '--name', 'Readable', '--email', 'readable@acme.example']
    const { code, stdout, stderr } = await gateway.operate(args)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^account ID +\S+\nclient ID +wc_\S+\nclient secret +ws_\S+\nwallet token +wt_\S+/)
    expect(stderr).toContain('cannot be shown again')
  })

  it('takes the password from standard input, and keeps only its hash', async () => {
    const args = [
      'account',
      'create',
      '--name',
      'P',
      '--email',
      'password@acme.example',
      '--password-stdin',
      '--json',
    ]
    const { code, stdout, stderr } = await gateway.operate(args, {
      input: 'correct horse battery\n',
      hashesInEarnest: true,
    })
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain('correct horse')
    const stored = storedPassword('password@acme.example')
    expect(stored).toMatch(/^scrypt\$131072\$8\$1\$/)
  })

  it('refuses a password that is too short, and makes no account', async () => {
    const args = ['account', 'create', '--name', 'S', '--email', 'short@acme.example', '--password-stdin']
    const { code, stderr } = await gateway.operate(args, { input: 'hunter2\n' })
    expect(code).toBe(2)
    expect(stderr).toContain('12 to 1024 characters')
    expect((await gateway.operate(['account', 'show', 'short@acme.example'])).code).toBe(1)
  })

  it('gives an account another password from standard input, and keeps only its hash', async () => {
    const account = await gateway.createAccount('reset@acme.example')
    const reset = (input: string, ...more: string[]) =>
      gateway.operate(['account', 'set-password', 'reset@acme.example', ...more], { input })
    const first = await reset('a first long password\n', '--password-stdin', '--json')
    expect(first.code).toBe(0)
    expect(JSON.parse(first.stdout)).toMatchObject({ accountId: account.accountId, status: 'active' })
    const { code, stdout, stderr } = await reset('a second long password', '--password-stdin')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toBe('Acme (reset@acme.example) now signs in with the new password.\n')
    const stored = storedPassword('reset@acme.example')
    expect(verifyPasswordHere('a second long password', stored)).toBe(true)
    expect(verifyPasswordHere('a second long passwore', stored)).toBe(false)
    expect((await reset('hunter2', '--password-stdin')).code).toBe(2)
    const unsaid = await reset('a third long password')
    expect(unsaid.code).toBe(2)
    expect(unsaid.stderr).toContain('--password-stdin')
    expect(storedPassword('reset@acme.example')).toBe(stored)
  })

  it('lists the connections of its assistants, and ends none where none is', async () => {
    await gateway.createAccount('connected@acme.example')
    const run = (...args: string[]) =>
      gateway.operate(['account', 'connections', 'connected@acme.example', ...args])
    expect(await run()).toMatchObject({ code: 0, stdout: '', stderr: 'No assistant is connected.\n' })
    expect((await run('--json')).stdout).toBe('[]\n')
    expect(await run('end', '--all')).toMatchObject({ code: 0, stderr: 'No connection was active.\n' })
    const unknown = await run('end', 'nothing')
    expect(unknown).toMatchObject({ code: 1, stdout: '' })
    expect(unknown.stderr).toContain('has no active connection nothing')
    for (const wrong of [['end'], ['end', 'nothing', '--all'], ['--all'], ['stop']])
      expect((await run(...wrong)).code, wrong.join(' ')).toBe(2)
  })

  it('lists the programs that call the tools with API credentials, and ends none of them', async () => {
    const account = await gateway.createAccount('program@acme.example')
    const run = (...args: string[]) =>
      gateway.operate(['account', 'connections', 'program@acme.example', ...args])
    const { headers, body } = eras['2025-11-25']('tools/call', { name: 'get_balance', arguments: {} })
    const credentials = { authorization: basic(account), 'x-wallet': `Token ${account.walletToken}` }
    const init = { method: 'POST', headers: { ...headers, ...credentials }, body: JSON.stringify(body) }
    expect((await fetch(`${gateway.url}/mcp`, init)).status).toBe(200)
    const listed = async () => JSON.parse((await run('--json')).stdout) as object[]
    await gateway.until('the use is written', async () => (await listed()).length > 0)
    expect(await listed()).toEqual([{ clientId: account.clientId, lastUsedAt: expect.any(String) }])
    expect((await run()).stdout).toMatch(new RegExp(`^client:${account.clientId} .*API credentials$`, 'm'))
    const refused = await run('end', `client:${account.clientId}`)
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('rotate-secret') })
  })

  it('refuses a second account for one e-mail, however it is written', async () => {
    await gateway.createAccount('twice@acme.example')
    const args = ['account', 'create', '--name', 'Twice', '--email', 'TWICE@acme.example']
    const { code, stderr, stdout } = await gateway.operate(args)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe('wigwag: there is already an account for TWICE@acme.example\n')
  })

  it('refuses every request of a suspended account soon, and none after it is resumed', async () => {
    const account = await gateway.createAccount('suspend@acme.example')
    expect((await gateway.send(account)).status).toBe(200)
    expect((await gateway.operate(['account', 'suspend', 'suspend@acme.example'])).code).toBe(0)
    await gateway.until('it is refused', async () => (await gateway.send(account)).status === 403)
    expect(await (await gateway.send(account)).json()).toMatchObject({ code: 'account_suspended' })
    const resumed = await gateway.operate(['account', 'resume', account.accountId, '--json'])
    expect(JSON.parse(resumed.stdout)).toMatchObject({ accountId: account.accountId, status: 'active' })
    await gateway.until('it is taken', async () => (await gateway.send(account)).status === 200)
  })

  it('says of an account that is suspended already since when, and changes and audits nothing', async () => {
    const { accountId } = await gateway.createAccount('again@acme.example')
    const suspend = (...more: string[]) =>
      gateway.operate(['account', 'suspend', 'again@acme.example', ...more])
    const first = JSON.parse((await suspend('--json')).stdout) as { statusSince: string }
    expect(first).toMatchObject({ accountId, status: 'suspended', changed: true })
    const since = first.statusSince
    expect(Date.parse(since)).toBeGreaterThan(0)
    expect(await suspend()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: `Acme (again@acme.example) is suspended already, since ${since}. Nothing was changed.\n`,
    })
    expect(JSON.parse((await suspend('--json')).stdout)).toEqual({ ...first, changed: false })
    const shown = await gateway.operate(['account', 'show', accountId])
    expect(shown.stdout).toContain(`suspended since ${since}`)
    const audit = await gateway.operate(['audit', '--account', accountId, '--action', 'account.s', '--json'])
    expect(JSON.parse(audit.stdout)).toHaveLength(1)
  })

  it('gives another client secret, and the old one is soon refused', async () => {
    const account = await gateway.createAccount('rotate@acme.example')
    expect((await gateway.send(account)).status).toBe(200)
    const { stdout } = await gateway.operate(['account', 'rotate-secret', 'rotate@acme.example', '--json'])
    const { clientId, clientSecret } = JSON.parse(stdout) as { clientId: string; clientSecret: string }
    expect(clientId).toBe(account.clientId)
    await gateway.until('it is refused', async () => (await gateway.send(account)).status === 401)
    expect((await gateway.send({ ...account, clientSecret })).status).toBe(200)
  })

  it('lets the old client secret work on for as long as the operator says', async () => {
    const account = await gateway.createAccount('kept@acme.example')
    const rotate = (...more: string[]) =>
      gateway.operate(['account', 'rotate-secret', 'kept@acme.example', '--json', ...more])
    const { stdout, stderr } = await rotate('--keep', '24h')
    const made = JSON.parse(stdout) as { clientSecret: string; previousUntil: string }
    expect(stderr).toContain(`The old one works until ${made.previousUntil}.`)
    const hours = (Date.parse(made.previousUntil) - Date.now()) / 3_600_000
    expect(hours).toBeGreaterThan(23.9)
    expect(hours).toBeLessThan(24.1)
    const renewed = { ...account, clientSecret: made.clientSecret }
    await gateway.until('it is taken', async () => (await gateway.send(renewed)).status === 200)
    expect((await gateway.send(account)).status).toBe(200)
    expect((await rotate('--keep', '2h')).code).toBe(2)
  })

  it('gives another wallet token, and the old one works on for as long as the operator says', async () => {
    const account = await gateway.createAccount('token@acme.example')
    const rotate = async (...more: string[]) => {
      const args = ['account', 'rotate-wallet-token', 'token@acme.example', '--json', ...more]
      return JSON.parse((await gateway.operate(args)).stdout) as {
        walletToken: string
        previousUntil?: string
      }
    }
    const second = await rotate('--keep', '1h')
    expect(Date.parse(second.previousUntil ?? '') - Date.now()).toBeGreaterThan(3_500_000)
    const renewed = { ...account, walletToken: second.walletToken }
    await gateway.until('it is taken', async () => (await gateway.send(renewed)).status === 200)
    expect((await gateway.send(account)).status).toBe(200)
    const third = await rotate()
    expect(third).not.toHaveProperty('previousUntil')
    for (const walletToken of [account.walletToken, second.walletToken])
      await gateway.until(
        'it is refused',
        async () => (await gateway.send({ ...account, walletToken })).status === 403,
      )
    expect((await gateway.send({ ...account, walletToken: third.walletToken })).status).toBe(200)
  })

  it('lists and shows accounts without a secret of theirs', async () => {
    const account = await gateway.createAccount('shown@acme.example')
    const listed = await gateway.operate(['account', 'list', '--json'])
    expect(JSON.parse(listed.stdout)).toContainEqual(
      expect.objectContaining({
        accountId: account.accountId,
        email: 'shown@acme.example',
        status: 'active',
        createdAt: expect.stringMatching(/^20\S+Z$/),
        country: null,
      }),
    )
    const shown = await gateway.operate(['account', 'show', 'shown@acme.example', '--json'])
    expect(JSON.parse(shown.stdout)).toMatchObject({
      accountId: account.accountId,
      people: [{ email: 'shown@acme.example', role: 'owner', signsInWith: 'nothing yet' }],
      clients: [{ clientId: account.clientId }],
      wallets: [{ currency: 'GHS', balance: 100, held: 0 }],
      senders: [{ senderId: 'ACME', status: 'approved' }],
    })
    for (const secret of [account.clientSecret, account.walletToken, account.callbackSecret]) {
      expect(listed.stdout + shown.stdout).not.toContain(secret)
    }
    const read = await gateway.operate(['account', 'show', account.accountId])
    expect(read.stdout).toContain('ACME: approved')
    expect(read.stdout).toMatch(/^wallet +\S+: balance GHS 100\.00, GHS 0\.00 held$/m)
  })

  it('says which account is not there', async () => {
    const commands = [
      'show',
      'suspend',
      'resume',
      'rotate-secret',
      'rotate-wallet-token',
      'rotate-callback-secret',
    ]
    for (const command of [...commands, 'set-password --password-stdin']) {
      const { code, stdout, stderr } = await gateway.operate(
        ['account', ...command.split(' '), 'nobody@acme.example'],
        { input: 'a long password' },
      )
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain('there is no account nobody@acme.example')
    }
  })
})
