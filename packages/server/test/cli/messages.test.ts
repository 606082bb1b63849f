import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { runProgram, temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
let account: AccountSecrets
beforeAll(async () => {
  gateway = await startMovedGateway(folder)
  account = await gateway.createAccount('messages@acme.example')
})

const send = (to: string, ...more: string[]) =>
  gateway.develop(account, ['send', '--from', 'ACME', '--to', to, '--content', 'Hello', ...more])

describe('wigwag send', () => {
  it('sends a message and prints its ticket', async () => {
    const { code, stdout } = await send('233241234567', '--reference', 'order-1', '--json')
    expect(code).toBe(0)
    const sent = JSON.parse(stdout) as { Ticket: string }
    expect(sent).toMatchObject({ Destination: '233241234567', ClientReference: 'order-1', Status: 'pending' })
    expect(await gateway.finalOf(account, sent.Ticket)).toMatchObject({ Status: 'success' })
  })

  it('waits until the message is final', async () => {
    const { code, stdout, stderr } = await gateway.during(send('233241234567', '--wait'))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Status +success$/m)
    expect(stderr).toContain('waiting until it is final')
  })

  it('exits 1 when the message it waits for is not delivered, and still says what became of it', async () => {
    const { code, stdout, stderr } = await gateway.during(send('233240000001', '--wait', '--json'))
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({ Status: 'undelivered', Cost: 0 })
    expect(stderr).toContain('was not delivered: undelivered')
  })

  it('exits 1 when the wait is over before the message is, and says how to go on', async () => {
    const { code, stdout, stderr } = await gateway.during(send('233240000005', '--wait', '--timeout', '1'))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/is not final after 1 s; to continue, run wigwag status \S+ --wait/)
  })

  it('goes out once, however often it is repeated with one key', async () => {
    const first = await send('233241234567', '--idempotency-key', 'k-1', '--json')
    const second = await send('233241234567', '--idempotency-key', 'k-1', '--json')
    expect(JSON.parse(second.stdout)).toEqual(JSON.parse(first.stdout))
  })

  it('says what the gateway refuses and why, and sends nothing', async () => {
    const before = await gateway.balanceOf(account)
    const { code, stdout, stderr } = await send('0241234567')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('beginning with a country code, which is never 0; got "0241234567"')
    expect(stderr).toContain('/To')
    expect(await gateway.balanceOf(account)).toBe(before)
  })

  it('takes its credentials from a .env file too', async () => {
    const lines = Object.entries(gateway.environmentOf(account)).map(([name, value]) => `${name}=${value}`)
    const home = temporaryHome(lines)
    const { code, stdout } = await runProgram(['balance', '--json'], { cwd: home })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ currency: 'GHS' })
  })
})

const homes = temporaryFolder()
function temporaryHome(lines: readonly string[]): string {
  writeFileSync(join(homes, '.env'), lines.join('\n'))
  return homes
}

describe('wigwag status and wigwag balance', () => {
  it('show a message and what is left', async () => {
    const { Ticket } = JSON.parse((await send('233241234567', '--json')).stdout) as { Ticket: string }
    const status = (...args: string[]) => gateway.during(gateway.develop(account, ['status', ...args]))
    const waited = await status(Ticket, '--wait', '--json')
    expect(waited.code).toBe(0)
    expect(JSON.parse(waited.stdout)).toMatchObject({ MessageId: Ticket, Status: 'success' })
    const stuck = JSON.parse((await send('233240000005', '--json')).stdout) as { Ticket: string }
    const over = await status(stuck.Ticket, '--wait', '--timeout', '1')
    expect(over).toMatchObject({ code: 1, stdout: '' })
    const read = await status(Ticket)
    expect(read.stdout).toMatch(/^Status +success$/m)
    const balance = await gateway.develop(account, ['balance'])
    expect(balance).toMatchObject({
      code: 0,
      stdout: `GHS ${await gateway.balanceOf(account)}\n`,
      stderr: '',
    })
  })

  it('exit 1 for a ticket that is not there', async () => {
    const { code, stderr } = await gateway.develop(account, [
      'status',
      '01932c07-7e5d-7c3a-9f0e-2b6d5a1c8e4f',
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('transaction_not_found')
  })
})
