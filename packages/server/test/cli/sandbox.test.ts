import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
let account: AccountSecrets
beforeAll(async () => {
  gateway = await startGateway(folder)
  account = await gateway.createAccount('sandbox@acme.example')
})

const sandbox = (...args: string[]) => gateway.develop(account, ['sandbox', ...args])
const shown = async (...args: string[]) => JSON.parse((await sandbox(...args, '--json')).stdout)

describe('wigwag sandbox clock', () => {
  it('moves the clock forward, so that a scheduled message goes out, and the audit log has it', async () => {
    const before = await shown('clock')
    const response = await fetch(`${gateway.url}/v1/messages/sms/scheduled`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${account.clientId}:${account.clientSecret}`).toString('base64')}`,
        'x-wallet': `Token ${account.walletToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        From: 'ACME',
        To: '233241234567',
        Content: 'Hello',
        SendAt: new Date(Date.parse(before.Now) + 90 * 60_000).toISOString(),
      }),
    })
    const { Ticket } = (await response.json()) as { Ticket: string }
    const { code, stdout } = await sandbox('clock', '2h')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^time {4}2\S+Z\nahead {3}2 h 0 min\nfaults {2}none\n$/)
    const after = await shown('clock')
    expect(after.AheadMs - before.AheadMs).toBe(7_200_000)
    await eventually('it is delivered', async () => {
      const { stdout } = await gateway.develop(account, ['status', Ticket, '--json'])
      return JSON.parse(stdout).Status === 'success'
    })
    const { stdout: audit } = await gateway.operate(['audit', '--json'])
    expect(audit).toContain('sandbox.clock')
  })

  it.each(['-2h', '0h', '2', '9999w', 'yesterday'])('refuses %s, and leaves the clock', async (by) => {
    const before = await shown('clock')
    const { code, stderr } = await sandbox('clock', '--', by)
    expect(code).toBe(2)
    expect(stderr).toContain(
      `such as 90s, 30m, 2h or 3d, at most 366d; got "${by}". The clock never goes back.`,
    )
    expect((await shown('clock')).AheadMs).toBe(before.AheadMs)
  })
})

describe('wigwag sandbox faults', () => {
  it('switches on those that are named and all others off, and they act', async () => {
    const { stdout } = await sandbox('faults', '--slow', '500ms', '--lost', '20%', '--gateway', '503')
    const words = 'the carrier takes 0.5 s longer, 20 % of receipts get lost, this gateway answers 503'
    expect(stdout).toContain(`faults  ${words}\n`)
    expect((await gateway.send(account)).status).toBe(503)
    expect((await shown('faults')).Faults).toEqual(words.split(', '))
    expect((await shown('faults', '--receivers', 'time out')).Faults).toEqual(['receivers time out'])
    expect((await gateway.send(account)).status).toBe(200)
    expect((await shown('faults', '--off')).Faults).toEqual([])
  })

  it('refuses what can be none, names each, and changes nothing', async () => {
    await sandbox('faults', '--receivers', '500')
    const { code, stderr } = await sandbox('faults', '--slow', '31s', '--lost', 'some')
    expect(code).toBe(2)
    expect(stderr).toContain('Expected a time of at most 30 s such as 2 s or 500 ms, got “31s”.')
    expect(stderr).toContain('Expected a part such as 20 %, got “some”.')
    expect((await sandbox('faults', '--gateway', '418')).code).toBe(2)
    expect((await sandbox('faults', '--off', '--lost', '20%')).code).toBe(2)
    expect((await shown('faults', '--off')).Faults).toEqual([])
  })
})

describe('wigwag sandbox', () => {
  it('is refused without the credentials of an account', async () => {
    const stranger = { ...account, clientSecret: 'ws_wrong' }
    const { code, stderr } = await gateway.develop(stranger, ['sandbox', 'faults', '--gateway', '503'])
    expect(code).toBe(1)
    expect(stderr).toContain('answered 401')
    expect((await gateway.send(account)).status).toBe(200)
  })

  it('does nothing in production, and says that there is no sandbox', async () => {
    const env = { WIGWAG_ENV: 'production', WIGWAG_CARRIER: 'simulator', WIGWAG_SECRET: 'x'.repeat(44) }
    const production = await startGateway(folder, `file:${folder}/production.db`, env)
    const customer = await production.createAccount('production@acme.example')
    for (const args of [
      ['clock', '2h'],
      ['faults', '--gateway', '503'],
    ]) {
      const { code, stderr } = await production.develop(customer, ['sandbox', ...args])
      expect(code).toBe(1)
      expect(stderr).toContain(
        `${production.url} is no sandbox: only WIGWAG_ENV=sandbox has a clock that moves`,
      )
    }
    expect(await production.balanceOf(customer)).toBe(100)
  })

  it('says which address has no gateway', async () => {
    const env = { ...gateway.environmentOf(account), WIGWAG_BASE_URL: 'http://127.0.0.1:1' }
    const { code, stderr } = await runProgram(['sandbox', 'clock'], { cwd: folder, env })
    expect(code).toBe(1)
    expect(stderr).toContain('no gateway answers at http://127.0.0.1:1')
  })
})
