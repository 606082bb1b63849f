import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { eventually } from '../support/eventually.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
let account: AccountSecrets
beforeAll(async () => {
  // Neither an answer nor a receipt ever comes.
  gateway = await startGateway(folder, undefined, {
    WIGWAG_SIMULATOR_CAN_BE_ASKED: 'no',
    WIGWAG_SIMULATOR_TROUBLE: 'unanswered=100 forget=100',
  })
  account = await gateway.createAccount('uncertain@acme.example')
})

const messages = (...args: string[]) => gateway.operate(['messages', ...args])

interface Uncertain {
  total: number
  messages: { ticket: string; carrier: string; recipient: string; accountId: string }[]
}

/** Sends a message, and waits until it is listed. */
async function sendUncertain(): Promise<string> {
  const { Ticket } = (await (await gateway.send(account)).json()) as { Ticket: string }
  await eventually('the message is uncertain', async () => {
    const { stdout } = await messages('uncertain', '--json')
    const found = JSON.parse(stdout) as Uncertain
    return found.messages.find(({ ticket }) => ticket === Ticket)
  })
  return Ticket
}

describe('wigwag messages', () => {
  it('lists what was never answered, settles it, and says what happened to the money', async () => {
    const none = await messages('uncertain')
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: 'No message is uncertain.\n' })
    const [first, second] = [await sendUncertain(), await sendUncertain()]
    const list = await messages('uncertain', '--limit', '1')
    expect(list.stdout).toMatch(new RegExp(`^${first} +simulator +${account.accountId} +233241234567 `, 'm'))
    expect(list.stderr).toBe('1 of 2; --limit lists more.\n')

    const delivered = await messages('settle', first.toUpperCase(), 'success')
    expect(delivered).toMatchObject({ code: 0, stderr: '' })
    const price = Number(/^charged +(0\.\d+) GHS$/m.exec(delivered.stdout)?.[1])
    expect(price).toBeGreaterThan(0)
    const said17 = ['--by', 'Ama', '--reason', 'north says it was lost, case 17']
    const failed = await messages('settle', second, 'failed', '--json', ...said17)
    expect(JSON.parse(failed.stdout)).toEqual({
      ...{ ticket: second, status: 'failed', price, currency: 'GHS', charged: false },
    })
    expect(await gateway.balanceOf(account)).toBeCloseTo(100 - price, 6)
    expect(await gateway.finalOf(account, first)).toMatchObject({ Status: 'success' })
    expect(await gateway.finalOf(account, second)).toMatchObject({ Status: 'failed' })
    expect((await messages('uncertain')).stderr).toBe('No message is uncertain.\n')

    const audit = await gateway.operate(['audit', '--action', 'message.settle', '--json'])
    expect(JSON.parse(audit.stdout)).toMatchObject([
      {
        actor: 'operator:Ama',
        detail: { ticket: second, status: 'failed', reason: 'north says it was lost, case 17' },
      },
      { detail: { ticket: first, carrier: 'simulator', status: 'success' } },
    ])

    const why = await messages('why', second.toUpperCase(), '--json')
    const said = 'Decided by the operator: the carrier never answered.'
    expect(JSON.parse(why.stdout)).toEqual({
      ...{ ticket: second, status: 'failed', accountId: account.accountId, customer: said, said },
    })
    expect((await messages('why', first)).stdout).toMatch(/^its customer reads +\(nothing\)$/m)

    expect(await messages('settle', first, 'failed')).toMatchObject({
      code: 1,
      stderr: `wigwag: ${first} is final: success; nothing was changed\n`,
    })
  })

  it('refuses a ticket that it does not know, and a status that does not settle', async () => {
    expect(await messages('settle', 'no-ticket', 'failed')).toMatchObject({
      code: 1,
      stderr: 'wigwag: no-ticket is no ticket of this gateway; nothing was changed\n',
    })
    expect(await messages('why', 'no-ticket')).toMatchObject({
      code: 1,
      stderr: 'wigwag: no-ticket is no ticket of this gateway\n',
    })
    expect(await messages('settle', 'no-ticket', 'expired')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('success, failed'),
    })
  })

  it('says what a message is that is not uncertain', async () => {
    await gateway.operate(['carriers', 'pause', 'simulator'])
    await eventually('the carrier is paused', async () => {
      const { stdout } = await gateway.operate(['carriers', 'list'])
      return / paused /.test(stdout)
    })
    const { Ticket } = (await (await gateway.send(account)).json()) as { Ticket: string }
    const refused = await messages('settle', Ticket, 'failed')
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(
      /(waits to be submitted|is under way) to simulator.*; nothing was changed$/m,
    )
    expect((await gateway.operate(['carriers', 'list'])).stdout).toMatch(/^simulator +1 +\d+ s +0 +0$/m)
  })
})
