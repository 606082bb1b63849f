import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { csvRows } from '../console/csv-rows.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
beforeAll(async () => {
  gateway = await startMovedGateway(folder)
})

// Each runs many commands, and a command takes seconds while other programs run.
describe('wigwag wallet', () => {
  it('adds money that can be spent at once', async () => {
    const account = await gateway.createAccount('credit@acme.example')
    const { code, stdout } = await gateway.operate([
      'wallet',
      'credit',
      account.accountId,
      '--amount',
      '50.25',
      '--json',
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ balance: 150.25, currency: 'GHS', repeated: false })
    expect(await gateway.balanceOf(account)).toBe(150.25)
  })

  it('refuses more than a wallet can hold, and adds nothing', async () => {
    const account = await gateway.createAccount('rich@acme.example')
    const args = ['wallet', 'credit', account.accountId, '--amount', '9007199253']
    const { code, stderr } = await gateway.operate(args)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'wigwag: a wallet can hold at most 9007199254; nothing was changed\n',
    })
    expect(await gateway.balanceOf(account)).toBe(100)
  })

  it('books once what is booked twice under one reference, and refuses another amount under it', async () => {
    const account = await gateway.createAccount('twice@acme.example')
    const wallet = (...args: string[]) =>
      gateway.operate(['wallet', args[0] ?? '', account.accountId, ...args.slice(1)])
    const first = await wallet('credit', '--amount', '50', '--reference', 'INV-7', '--json')
    expect(JSON.parse(first.stdout)).toEqual({ balance: 150, currency: 'GHS', repeated: false })
    const again = await wallet('credit', '--amount', '50', '--reference', 'INV-7')
    expect(again).toMatchObject({ code: 0, stdout: 'balance  GHS 150.00\n' })
    expect(again.stderr).toMatch(/^INV-7 was booked at 20\S+Z already\. Nothing was changed\.$/m)
    for (const other of [
      ['credit', '--amount', '51'],
      ['debit', '--amount', '50'],
    ]) {
      const refused = await wallet(...other, '--reference', 'INV-7')
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(
        /INV-7 is the reference of a credit of GHS 50\.00 at .*; nothing was changed/,
      )
    }
    const both = await Promise.all(
      [1, 2].map(() => wallet('debit', '--amount', '9', '--reference', 'BACK-1')),
    )
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(await gateway.balanceOf(account)).toBe(141)
    const { stdout } = await gateway.operate(['audit', '--account', account.accountId, '--json'])
    const rows = JSON.parse(stdout) as { action: string; detail: object }[]
    expect(rows.map(({ action }) => action)).toEqual(['wallet.debit', 'wallet.credit', 'account.create'])
    expect(rows[1]?.detail).toEqual({ amount: 50, reference: 'INV-7' })
    expect((await gateway.operate(['doctor', '--json'])).code).toBe(0)
  })

  it('takes money off, but neither more than there is nor what is held', async () => {
    const account = await gateway.createAccount('debit@acme.example')
    const debit = (amount: string) =>
      gateway.operate(['wallet', 'debit', account.accountId, '--amount', amount])
    // The simulator takes it and says nothing, so that its price stays held.
    await gateway.send(account, { To: '233241200005' })
    const left = await gateway.balanceOf(account)
    expect(left).toBeLessThan(100)
    const refused = await debit('100')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /expected an amount of at most GHS [\d.]+, because GHS 0\.\d+ are held .*; got GHS 100\.00; nothing was changed/,
    )
    expect(await debit(String(left))).toMatchObject({ code: 0, stdout: 'balance  GHS 0.00\n' })
    expect((await debit('0.01')).code).toBe(1)
    expect(await gateway.balanceOf(account)).toBe(0)
  })

  it('is watched below an amount, or no more, and says whether it is low', async () => {
    const account = await gateway.createAccount('watched@acme.example')
    const warn = (...args: string[]) => gateway.operate(['wallet', 'warn', account.accountId, ...args])
    const shown = async () => {
      const { stdout } = await gateway.operate(['account', 'show', account.accountId])
      return /, GHS 0\.00 held(.*)$/m.exec(stdout)?.[1]
    }
    expect(await shown()).toBe('')
    expect(await warn('--below', '50')).toMatchObject({
      code: 0,
      stderr: 'It has GHS 100.00, and counts as low below GHS 50.00.\n',
    })
    expect(await shown()).toBe(', enough: warns below GHS 50.00')
    const { stdout } = await warn('--below', '100.5', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ balance: 100, currency: 'GHS', warnBelow: 100.5, low: true })
    expect(await shown()).toBe(', low: warns below GHS 100.50')
    const list = await gateway.operate(['account', 'list'])
    expect(list.stdout).toMatch(/GHS 100\.00 \(low\) +watched@acme\.example/)
    expect((await warn('--never')).code).toBe(0)
    expect(await shown()).toBe('')
    for (const args of [[], ['--below', '5', '--never'], ['--below', '0']]) {
      expect((await warn(...args)).code).toBe(2)
    }
    const audited = await gateway.operate(['audit', '--account', account.accountId, '--json'])
    const details = (JSON.parse(audited.stdout) as { detail: object }[]).map(({ detail }) => detail)
    expect(details.slice(0, 3)).toEqual([{ below: null }, { below: 100.5 }, { below: 50 }])
  })

  it('shows a statement: what was added, taken off and charged, and the balances around it', async () => {
    const account = await gateway.createAccount('statement@acme.example')
    const { Ticket } = (await (await gateway.send(account)).json()) as { Ticket: string }
    await gateway.finalOf(account, Ticket)
    await gateway.operate(['wallet', 'debit', account.accountId, '--amount', '20', '--reference', 'FEE'])
    const statement = ['wallet', 'statement', account.accountId]
    const { stdout } = await gateway.operate([...statement, '--json'])
    const { closing, ...shown } = JSON.parse(stdout) as { closing: number; entries: { kind: string }[] }
    expect(shown).toMatchObject({
      currency: 'GHS',
      opening: 0,
      totals: {
        credit: { entries: 1, amount: 100 },
        debit: { entries: 1, amount: 20 },
        charge: { entries: 1 },
      },
      entries: [
        { seq: 3, kind: 'debit', amount: 20, reference: 'FEE', ticket: null },
        { seq: 2, kind: 'charge', reference: null, ticket: Ticket },
        { seq: 1, kind: 'credit', amount: 100, balanceAfter: 100 },
      ],
    })
    expect(closing).toBe(await gateway.balanceOf(account))
    const text = await gateway.operate([...statement, '--limit', '1'])
    expect(text.stdout).toMatch(/^20\S+ +debit +− 20\.00 +[\d.]+ +FEE$/m)
    expect(text.stdout).toMatch(/^charges \(1\) +GHS 0\.\d+$/m)
    expect(text.stdout).toMatch(/^posted balance now +GHS [\d.]+$/m)
    expect(text.stderr).toBe('The newest 1 of 3 entries; --limit lists more.\n')
    const later = await gateway.operate([...statement, '--since', '0m', '--json'])
    expect(JSON.parse(later.stdout)).toMatchObject({ opening: closing, closing, entries: [] })
  })

  it('shows a period with the balances around it, and as CSV all of its entries', async () => {
    const account = await gateway.createAccount('period@acme.example')
    const book = (kind: string, amount: string, reference: string) =>
      gateway.operate(['wallet', kind, account.accountId, '--amount', amount, '--reference', reference])
    const day = () => new Date(gateway.clock.now()).toISOString().slice(0, 10)
    const DAY = 86_400_000
    const first = day()
    gateway.pass(DAY)
    const second = day()
    await book('credit', '25', 'INV-1')
    await book('debit', '5', 'FEE-1')
    gateway.pass(2 * DAY)
    await book('credit', '7', 'INV-2')
    const statement = async (...more: string[]) =>
      gateway.operate(['wallet', 'statement', account.accountId, ...more])
    const { stdout } = await statement('--since', second, '--until', second, '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      since: `${second}T00:00:00.000Z`,
      until: new Date(Date.parse(second) + DAY).toISOString(),
      opening: 100,
      closing: 120,
      totals: {
        credit: { entries: 1, amount: 25 },
        debit: { entries: 1, amount: 5 },
        charge: { entries: 0 },
      },
      entries: [{ reference: 'FEE-1' }, { reference: 'INV-1' }],
    })
    const text = await statement('--since', second, '--until', second)
    expect(text.stdout).toMatch(/^posted balance at \S+T00:00:00Z +GHS 120\.00$/m)
    expect(text.stdout).not.toContain('now')
    expect(JSON.parse((await statement('--until', first, '--json')).stdout)).toMatchObject({ closing: 100 })
    const csv = await statement('--since', second, '--until', second, '--csv')
    expect(csvRows(csv.stdout).map(([, ...cells]) => cells)).toEqual([
      ['kind', 'amount', 'currency', 'before', 'after', 'reference', 'ticket'],
      ['debit', '-5', 'GHS', '125', '120', 'FEE-1', ''],
      ['credit', '25', 'GHS', '100', '125', 'INV-1', ''],
    ])
    expect(csvRows((await statement('--since', '9d', '--limit', '1', '--csv')).stdout)).toHaveLength(2)
    expect(csvRows((await statement('--since', '9d', '--csv')).stdout)).toHaveLength(5)
    for (const args of [
      ['--csv', '--json'],
      ['--since', second, '--until', first],
      ['--until', 'soon'],
    ])
      expect((await statement(...args)).code, args.join(' ')).toBe(2)
  })

  it('is watched for all accounts that are not yet, in the currency of their wallets', async () => {
    const [own, plain, euro] = [
      await gateway.createAccount('own@acme.example'),
      await gateway.createAccount('plain@acme.example'),
      await gateway.createAccount('euro@acme.example', '--currency', 'EUR'),
    ]
    const erased = await gateway.createAccount('erased@acme.example')
    await gateway.operate(['account', 'suspend', erased.accountId])
    await gateway.operate(['account', 'erase', erased.accountId, '--yes', '--despite-balance'])
    const warn = (...args: string[]) => gateway.operate(['wallet', 'warn', ...args])
    await warn(own.accountId, '--below', '3')
    const several = await warn('--all', '--below', '20')
    expect([several.code, several.stderr]).toEqual([
      2,
      'wigwag: there are wallets in EUR, GHS: name one with --currency, as the amount is in it\n',
    ])
    const done = await warn('--all', '--below', '20', '--currency', 'GHS')
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringMatching(/^\d+ wallets count as low below GHS 20\.00\.\n$/),
    ])
    const below = async ({ accountId }: AccountSecrets) => {
      const { stdout } = await gateway.operate(['account', 'show', accountId, '--json'])
      return (JSON.parse(stdout) as { wallets: { warnBelow: number }[] }).wallets[0]?.warnBelow
    }
    expect([await below(own), await below(plain), await below(euro)]).toEqual([3, 20, null])
    const euros = await warn('--all', '--below', '9', '--json')
    expect(JSON.parse(euros.stdout)).toEqual({ warnBelow: 9, accounts: [euro.accountId] })
    expect((await warn('--all', '--below', '9')).stderr).toBe(
      'Every such account has an amount already. Nothing was changed.\n',
    )
    for (const args of [
      ['--all'],
      ['--all', '--never'],
      [own.accountId, '--all', '--below', '1'],
      ['--below', '1'],
    ])
      expect((await warn(...args)).code, args.join(' ')).toBe(2)
    expect((await warn(own.accountId, '--below', '1', '--currency', 'GHS')).code).toBe(2)
  })

  it('refuses an amount that is none, and adds nothing', async () => {
    const account = await gateway.createAccount('odd@acme.example')
    for (const amount of ['0', '1e3', '0.0000001', '-5', 'ten', '99999999999']) {
      const { code, stderr } = await gateway.operate([
        'wallet',
        'credit',
        account.accountId,
        `--amount=${amount}`,
      ])
      expect(code).toBe(2)
      expect(stderr).toMatch(/Expected an amount/)
    }
    expect(await gateway.balanceOf(account)).toBe(100)
  })
})

describe('wigwag sender', () => {
  it('lets an account send from an approved sender ID soon, and from a rejected one no more', async () => {
    const account = await gateway.createAccount('sender@acme.example')
    const fromNews = () => gateway.send(account, { From: 'ACME News' })
    expect((await fromNews()).status).toBe(403)
    expect((await gateway.operate(['sender', 'approve', account.accountId, 'ACME News'])).code).toBe(0)
    await gateway.until('it may be used', async () => (await fromNews()).status === 200)
    expect((await gateway.operate(['sender', 'reject', account.accountId, 'ACME News'])).code).toBe(0)
    await gateway.until('it may not be used', async () => (await fromNews()).status === 403)
    const { stdout } = await gateway.operate(['sender', 'list', account.accountId, '--json'])
    expect(JSON.parse(stdout)).toMatchObject([
      { senderId: 'ACME', status: 'approved' },
      { senderId: 'ACME News', status: 'rejected' },
    ])
  })

  it('says why one is rejected, until it is approved, and audits what changes once', async () => {
    const { accountId } = await gateway.createAccount('why@acme.example')
    const list = async () =>
      JSON.parse((await gateway.operate(['sender', 'list', accountId, '--json'])).stdout)
    for (let n = 0; n < 2; n++)
      await gateway.operate(['sender', 'reject', accountId, 'MyBank', '--reason', 'It is a bank.'])
    expect(await list()).toContainEqual(
      expect.objectContaining({ senderId: 'MyBank', status: 'rejected', reason: 'It is a bank.' }),
    )
    const { stdout } = await gateway.operate([
      'audit',
      '--account',
      accountId,
      '--action',
      'sender',
      '--json',
    ])
    expect(stdout.match(/It is a bank\./g)).toHaveLength(1)
    await gateway.operate(['sender', 'approve', accountId, 'MyBank'])
    expect(JSON.stringify(await list())).not.toContain('bank.')
  })

  it('refuses what can be no sender ID', async () => {
    const { code, stderr } = await gateway.operate([
      'sender',
      'approve',
      'x@acme.example',
      'much too long a name',
    ])
    expect(code).toBe(2)
    expect(stderr).toContain('Expected 1 to 11 letters, digits and spaces')
  })
})
