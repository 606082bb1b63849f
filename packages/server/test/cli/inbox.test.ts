import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const to = '233241234567'
let gateway: RunningGateway
let account: AccountSecrets
beforeAll(async () => {
  gateway = await startGateway(folder)
  account = await gateway.createAccount('inbox@acme.example')
})

const sandbox = (...args: string[]) => gateway.develop(account, ['sandbox', ...args])
const send = async (Content: string) => expect((await gateway.send(account, { Content })).status).toBe(200)

async function cursor(): Promise<string> {
  const { code, stdout } = await sandbox('now')
  expect(code).toBe(0)
  return stdout.trim()
}

describe('wigwag sandbox wait', () => {
  it('prints the code that was sent after the cursor, also when the clock of the sandbox is ahead', async () => {
    await sandbox('clock', '2h')
    await send('Your code is 4711')
    const before = await cursor()
    await send('Your code is 82913')
    const found = await sandbox('wait', '--to', '+233 24 123 4567', '--after', before, '--code')
    expect(found).toEqual({ code: 0, stdout: '82913\n', stderr: '' })
  })

  it('waits for what is sent from now on, and prints its text', async () => {
    await send('Your code is 4711')
    const waiting = sandbox('wait', '--to', to, '--match', 'order')
    // It may begin to wait later than this test sends.
    let isOver = false
    const found = waiting.finally(() => {
      isOver = true
    })
    while (!isOver) {
      await send('Your order is on its way')
      await new Promise((go) => setTimeout(go, 50))
    }
    expect(await found).toEqual({ code: 0, stdout: 'Your order is on its way\n', stderr: '' })
  })

  it('prints the whole as JSON', async () => {
    const before = await cursor()
    await send('Order 1042: 82913')
    const { stdout } = await sandbox('wait', '--to', to, '--after', before, '--match', ': (\\d+)', '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      from: 'ACME',
      to,
      text: 'Order 1042: 82913',
      code: '82913',
      message: { Type: 'SMS' },
    })
    expect(JSON.parse((await sandbox('now', '--json')).stdout)).toEqual({ cursor: expect.any(String) })
  })

  it('fails when none came, and says what did', async () => {
    const before = await cursor()
    await send('Welcome')
    const { code, stdout, stderr } = await sandbox(
      'wait',
      '--to',
      to,
      '--after',
      before,
      '--match',
      'code',
      '--timeout',
      '0.1',
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      `wigwag: no message to ${to} that has /code/u in it came within 100 ms; came instead: to ${to} "Welcome"\n`,
    )
  })

  it('fails when it can not tell the code from other numbers', async () => {
    const before = await cursor()
    await send('Order 1042: 82913')
    const { code, stdout, stderr } = await sandbox('wait', '--to', to, '--after', before, '--code')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toBe(
      'wigwag: expected one number that is the code in "Order 1042: 82913"; name it by a group of --match\n',
    )
  })

  it.each([
    [['--to', 'nobody'], 'Expected 7 to 15 digits'],
    [['--to', to, '--match', '('], 'Invalid regular expression'],
    [['--to', to, '--after', '2026-11-30T12:00:00Z'], 'Expected a ticket'],
    [['--to', to, '--timeout', 'soon'], 'Expected a number of seconds above zero'],
    [[], "required option '--to <number>'"],
  ])('refuses %j', async (args, said) => {
    const { code, stderr } = await sandbox('wait', ...args)
    expect(code).toBe(2)
    expect(stderr).toContain(said)
  })
})
