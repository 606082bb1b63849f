import { beforeAll, describe, expect, it } from 'vitest'
import { aSecond, type RunningGateway, startGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
})

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
    expect(JSON.parse(stdout)).toEqual({ balance: 150.25, currency: 'GHS' })
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
  it('lets an account send from an approved sender ID within a second, and from a rejected one no more', async () => {
    const account = await gateway.createAccount('sender@acme.example')
    const fromNews = () => gateway.send(account, { From: 'ACME News' })
    expect((await fromNews()).status).toBe(403)
    expect((await gateway.operate(['sender', 'approve', account.accountId, 'ACME News'])).code).toBe(0)
    await aSecond()
    expect((await fromNews()).status).toBe(200)
    expect((await gateway.operate(['sender', 'reject', account.accountId, 'ACME News'])).code).toBe(0)
    await aSecond()
    expect((await fromNews()).status).toBe(403)
    const { stdout } = await gateway.operate(['sender', 'list', account.accountId, '--json'])
    expect(JSON.parse(stdout)).toMatchObject([
      { senderId: 'ACME', status: 'approved' },
      { senderId: 'ACME News', status: 'rejected' },
    ])
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
