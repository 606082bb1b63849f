import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { type Ended, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
beforeAll(async () => {
  gateway = await startMovedGateway(folder, undefined, { WIGWAG_CALLBACK_ALLOW: '127.0.0.0/8' })
})

/** The output of a command with `--json`, parsed. */
async function read<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await gateway.operate([...args, '--json'])
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as T
}

const errorOf = ({ stderr }: Ended) =>
  (JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as { error: Record<string, unknown> }).error

interface Listed {
  email: string
  lastUsedAt: string | null
  wallets: { balance: number; held: number; currency: string }[]
}

describe('an operator', () => {
  it('sees in the list of accounts what each can spend and when it was last used', async () => {
    const idle = await gateway.createAccount('idle@acme.example')
    const busy = await gateway.createAccount('busy@acme.example')
    await gateway.balanceOf(busy)
    const used = await gateway.until('the account was used', async () => {
      const found = await read<Listed[]>('account', 'list')
      return found.find(({ email, lastUsedAt }) => email === 'busy@acme.example' && lastUsedAt !== null)
    })
    expect(used).toMatchObject({ wallets: [{ balance: 100, held: 0, currency: 'GHS' }] })
    const { stdout } = await gateway.operate(['account', 'list'])
    const today = used.lastUsedAt?.slice(0, 10)
    expect(stdout).toMatch(new RegExp(`^${busy.accountId} +active +\\S+ +${today} +GHS 100.00 +busy@`, 'm'))
    expect(stdout).toMatch(new RegExp(`^${idle.accountId} +active +\\S+ +never +GHS 100.00 +idle@`, 'm'))
  })

  it('finds the sender IDs that wait for a decision, of all accounts, until it is made', async () => {
    const account = await gateway.createAccount('asks@acme.example')
    const { clientId, clientSecret, walletToken } = account
    const asked = await fetch(`${gateway.url}/v1/account/sender-ids`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'x-wallet': `Token ${walletToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ SenderId: 'ACME Shop' }),
    })
    expect(asked.status).toBe(200)
    expect(await read('sender', 'list', '--pending')).toMatchObject([
      { senderId: 'ACME Shop', status: 'pending', email: 'asks@acme.example', accountId: account.accountId },
    ])
    await gateway.operate(['sender', 'approve', 'asks@acme.example', 'ACME Shop'])
    const none = await gateway.operate(['sender', 'list', '--pending'])
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No sender ID waits for a decision.\n' })
    const all = await read<{ email: string }[]>('sender', 'list')
    expect(new Set(all.map(({ email }) => email)).size).toBeGreaterThan(1)
  })

  it('sees which messages wait for too long, and why', async () => {
    const account = await gateway.createAccount('stuck@acme.example')
    expect((await gateway.operate(['messages', 'stuck'])).stderr).toBe(
      'No message waits for longer than it should.\n',
    )
    const { Ticket } = (await (await gateway.send(account, { To: '233241200005' })).json()) as {
      Ticket: string
    }
    const waits = (why: string, carrier: string) =>
      gateway.until('the message is stuck', async () => {
        const { messages } = await read<{ messages: { ticket: string; why: string; carrier: string }[] }>(
          'messages',
          'stuck',
          '--before',
          '0m',
        )
        return messages.find((one) => one.why === why && one.carrier === carrier)
      })
    expect(await waits('awaiting-receipt', 'simulator')).toMatchObject({
      ticket: Ticket,
      accountId: account.accountId,
      recipient: '233241200005',
      email: 'stuck@acme.example',
    })
    await gateway.operate(['carriers', 'pause', 'simulator'])
    await gateway.until('the carrier is paused', async () =>
      / paused /.test((await gateway.operate(['carriers', 'list'])).stdout),
    )
    await gateway.send(account)
    await waits('carrier-paused', 'simulator')
    const { stdout } = await gateway.operate(['messages', 'stuck', '--before', '0m'])
    expect(stdout).toMatch(
      / simulator +stuck@acme.example +233241234567 +its carrier is paused: wigwag carriers resume$/m,
    )
    await gateway.operate(['carriers', 'resume', 'simulator'])
  })

  it('sees what keeps failing', async () => {
    const account = await gateway.createAccount('fails@acme.example')
    expect((await gateway.operate(['messages', 'set-aside'])).stderr).toBe('Nothing was set aside.\n')
    const { Ticket } = (await (await gateway.send(account, { To: '233241200005' })).json()) as {
      Ticket: string
    }
    await gateway.until('it waits for its receipt', async () => {
      const { messages } = await read<{ messages: { ticket: string; why: string }[] }>(
        'messages',
        'stuck',
        '--before',
        '0m',
      )
      return messages.find(({ ticket, why }) => ticket === Ticket && why === 'awaiting-receipt')
    })
    // While the gateway writes, the file is locked; it goes on in this thread.
    const database = new Sqlite(gateway.database.slice('file:'.length), { timeout: 0 })
    const fail = database.prepare('UPDATE outbox SET faults = 30, lease_until = 0, run_at = ? WHERE id = ?')
    await eventually('the file is free', () => {
      try {
        return fail.run(Date.UTC(2099, 0), Ticket)
      } catch (error) {
        if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_BUSY') return undefined
        throw error
      }
    })
    database.close()
    expect(await read('messages', 'set-aside')).toEqual([
      expect.objectContaining({
        ticket: Ticket,
        faults: 30,
        email: 'fails@acme.example',
        nextTryAt: '2099-01-01T00:00:00.000Z',
      }),
    ])
    const { stdout } = await gateway.operate(['messages', 'set-aside'])
    expect(stdout).toMatch(/^a message, to be .* fails@acme.example +233241200005 +30 +2099-01-01T00:00:00$/m)
  })

  it('takes the prices out as they go in, and sees what a file would change', async () => {
    const exported = await gateway.operate(['rates', 'export'])
    const file = join(folder, 'rates.csv')
    writeFileSync(file, exported.stdout)
    const same = await gateway.operate(['rates', 'diff', file])
    expect(same).toMatchObject({ code: 0, stdout: '', stderr: 'The file has the same prices.\n' })

    const lines = exported.stdout.trimEnd().split('\r\n')
    const ghana = lines.findIndex((line) => /^"GH","","","",.*,"GHS"$/.test(line))
    const [dearer, added] = ['GH,,,,9.5,GHS', 'GH,,,,1.25,JPY']
    const rest = lines.filter((_, index) => index !== ghana && index !== lines.length - 1)
    writeFileSync(file, `${[...rest, dearer, added].join('\n')}\n`)
    const before = await read('rates', 'list')
    const diff = await read<{ changes: object[] }>('rates', 'diff', file)
    expect(diff).toMatchObject({ added: 1, removed: 1, changed: 1 })
    expect(diff.changes).toContainEqual({
      country: 'GH',
      mcc: '',
      mnc: '',
      network: '',
      currency: 'JPY',
      before: null,
      after: 1.25,
    })
    expect(diff.changes).toContainEqual(expect.objectContaining({ currency: 'GHS', after: 9.5 }))
    expect(await read('rates', 'list')).toEqual(before)
  })

  it('sees the callbacks of all accounts, and has those that wait posted again', async () => {
    const account = await gateway.createAccount('callbacks@acme.example')
    const receiver = 'http://127.0.0.1:1/hook'
    await gateway.send(account, { CallbackUrl: receiver })
    interface Callback {
      id: string
      attempts: number
      nextAttemptAt: string
    }
    const list = () => read<Callback[]>('callbacks', 'list', '--state', 'pending')
    // After the second attempt the next one is minutes away. Each look by a command opens the database.
    const database = new Sqlite(gateway.database.slice('file:'.length), { readonly: true })
    onTestFinished(() => void database.close())
    const attempts = database.prepare("SELECT max(attempts) FROM outbox WHERE kind = 'callback'").pluck()
    await gateway.until('two attempts', () => Number(attempts.get()) === 2)
    const waiting = (await list()).find(({ attempts }) => attempts === 2)
    expect(waiting).toMatchObject({
      email: 'callbacks@acme.example',
      url: receiver,
      lastError: 'connect_failed',
    })
    const { stdout } = await gateway.operate(['callbacks', 'list', '--account', 'callbacks@acme.example'])
    expect(stdout).toMatch(/ pending +2 +connect_failed +20\S+ +callbacks@acme\.example /)

    const others = await gateway.operate([
      'callbacks',
      'replay',
      '--since',
      '1d',
      '--account',
      'idle@acme.example',
    ])
    expect(others.stderr).toContain('none is posted again')
    const neither = await gateway.operate(['callbacks', 'replay'])
    expect(neither).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--ticket, --state or --since: expected'),
    })
    const dead = await gateway.operate(['callbacks', 'replay', '--state', 'dead'])
    expect(dead.stderr).toContain('none is posted again')
    const replayed = await read('callbacks', 'replay', '--since', '1d')
    expect(replayed).toMatchObject({
      replayed: 1,
      accounts: [{ accountId: account.accountId, callbacks: 1 }],
    })
    await gateway.until('the third attempt', async () => (await list()).find(({ attempts }) => attempts >= 3))
    expect(await read('audit', '--action', 'callback')).toMatchObject([
      { action: 'callback.replay', accountId: account.accountId },
    ])
  })

  it('finds a message by what its customer knows of it, and follows it', async () => {
    const account = await gateway.createAccount('asks-about@acme.example')
    const receiver = 'http://127.0.0.1:1/hook'
    const sent = { To: '233201234599', Reference: 'order 42', CallbackUrl: receiver }
    const { Ticket } = (await (await gateway.send(account, sent)).json()) as { Ticket: string }
    await gateway.finalOf(account, Ticket)
    const one = { ticket: Ticket, status: 'success', recipient: sent.To, email: 'asks-about@acme.example' }
    for (const asked of [
      ['--to', `+${sent.To}`],
      ['--reference', sent.Reference],
      ['--ticket', Ticket.toUpperCase()],
      ['--to', sent.To, '--account', 'asks-about@acme.example'],
      ['--account', 'asks-about@acme.example'],
    ])
      expect(await read('messages', 'find', ...asked)).toEqual([expect.objectContaining(one)])
    const { stdout } = await gateway.operate(['messages', 'find', '--to', sent.To])
    expect(stdout).toMatch(
      new RegExp(` success +ACME +${sent.To} +order 42 +asks-about@acme.example +${Ticket}$`, 'm'),
    )

    const followed = await gateway.until('its callback was posted', async () => {
      const { stdout } = await gateway.operate(['messages', 'show', Ticket])
      return stdout.includes('connect_failed') ? stdout : undefined
    })
    for (const line of [
      /^status +success$/m,
      /^carrier +simulator$/m,
      /^its reference +sim-success-/m,
      /^price +GHS 0\.\d+, charged$/m,
      /^TIME +EVENT +DETAIL$/m,
      / submitted$/m,
      /^to +http:\/\/127\.0\.0\.1:1\/hook$/m,
      /^20\S+ +1 +connect_failed +\d+ ms /m,
    ])
      expect(followed).toMatch(line)
    expect(followed).not.toContain('Hello')
    // After the second attempt the next one is minutes away.
    await gateway.until('a later attempt is waited for', async () =>
      / 2 +connect_failed /.test((await gateway.operate(['messages', 'show', Ticket])).stdout),
    )
    const replayed = await read('callbacks', 'replay', '--ticket', Ticket)
    expect(replayed).toEqual({ ticket: Ticket, replayed: 1, skipped: 0 })
    const both = await gateway.operate(['callbacks', 'replay', '--ticket', Ticket, '--since', '1d'])
    expect(both).toMatchObject({ code: 2, stderr: expect.stringContaining('--ticket names one message') })
    expect(await read('messages', 'show', Ticket, '--text')).toMatchObject({
      text: 'Hello',
      carrierCost: null,
    })
    const audited = await read<{ action: string; detail: object }[]>('audit', '--action', 'message.find')
    expect(audited.map(({ detail }) => detail)).toContainEqual({ reference: sent.Reference })
  })

  it.each([
    [[], 'expected exactly one of them, or --account alone; got none'],
    [
      ['--to', '233201234599', '--reference', 'x'],
      'expected exactly one of them, or --account alone; got several',
    ],
    [['--to', '024'], 'Expected a number with its country code'],
    [['--ticket', '12'], 'Expected a ticket, such as'],
  ])('is told how to find a message: %j', async (args, message) => {
    const ended = await gateway.operate(['messages', 'find', ...args])
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  })
})

describe('an error with --json', () => {
  it.each<[string, string[], number, string]>([
    ['of an operator', ['account', 'show', 'no-one'], 1, 'there is no account no-one'],
    ['of usage', ['account', 'show', 'x', '--colour'], 2, "unknown option '--colour'"],
    ['of an argument', ['callbacks', 'list', '--since', 'soon'], 2, 'Expected 30m, 6h, 2d or 2w'],
  ])('%s is one object on the last line of stderr', async (_, args, exitCode, message) => {
    const ended = await gateway.operate([...args, '--json'])
    expect(ended).toMatchObject({ code: exitCode, stdout: '' })
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(errorOf(ended)).toEqual({ exitCode, message: expect.stringContaining(message) })
  })

  it('of the gateway has its code and its request ID', async () => {
    const account = await gateway.createAccount('errors@acme.example')
    const ended = await gateway.develop(account, ['status', '01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f', '--json'])
    expect(ended.code).toBe(1)
    expect(errorOf(ended)).toMatchObject({
      exitCode: 1,
      code: 'transaction_not_found',
      requestId: expect.any(String),
      uncertain: false,
    })
  })
})
