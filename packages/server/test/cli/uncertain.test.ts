import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { type MovedGateway, startMovedGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: MovedGateway
let account: AccountSecrets
beforeAll(async () => {
  // Neither an answer nor a receipt ever comes.
  gateway = await startMovedGateway(folder, undefined, {
    WIGWAG_SIMULATOR_TROUBLE: 'unanswered=100 forget=100',
  })
  account = await gateway.createAccount('uncertain@acme.example')
})

const messages = (...args: string[]) => gateway.operate(['messages', ...args])

/** Changes the gateway's rows, beside it. */
function write(statement: string): void {
  const database = new Sqlite(join(folder, 'gateway.db'))
  database.prepare(statement).run()
  database.close()
}

interface Uncertain {
  total: number
  messages: { ticket: string; carrier: string; recipient: string; accountId: string; submittedAt: string }[]
}

/** Sends a message, and waits until it is listed. */
async function sendUncertain(): Promise<string> {
  const { Ticket } = (await (await gateway.send(account)).json()) as { Ticket: string }
  await gateway.until('the message is uncertain', async () => {
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
    const line = `^${first} +simulator +${account.accountId} +ACME +233241234567 +20\\S+ +GHS 0\\.\\d+ +20`
    expect(list.stdout).toMatch(new RegExp(line, 'm'))
    expect(list.stderr).toBe('1 of 2; --limit lists more.\n')

    const delivered = await messages('settle', first.toUpperCase(), 'success')
    expect(delivered).toMatchObject({ code: 0, stderr: '' })
    const price = Number(/^charged +GHS (0\.\d+)$/m.exec(delivered.stdout)?.[1])
    expect(price).toBeGreaterThan(0)
    const said17 = ['--by', 'Ama', '--reason', 'north says it was lost, case 17']
    const failed = await messages('settle', second, 'failed', '--json', ...said17)
    expect(JSON.parse(failed.stdout)).toEqual({
      ticket: second,
      status: 'failed',
      price,
      currency: 'GHS',
      charged: false,
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

    const shown = await messages('show', second.toUpperCase(), '--json')
    const said = 'Decided by the operator: the carrier never answered.'
    expect(JSON.parse(shown.stdout)).toMatchObject({
      ticket: second,
      status: 'failed',
      accountId: account.accountId,
      customer: said,
      said,
      carrier: 'simulator',
      submittedAt: expect.stringMatching(/^20/),
      price,
      charged: 0,
    })

    expect(await messages('settle', first, 'failed')).toMatchObject({
      code: 1,
      stderr: `wigwag: ${first} is final: success; nothing was changed\n`,
    })
  })

  it('refuses a ticket that it does not know, and a status that does not settle', async () => {
    const first = '01a1f89c-3b65-7c3a-9f0e-2b6d5a1c8e4f'
    expect(await messages('settle', 'no-ticket', 'failed')).toMatchObject({
      code: 1,
      stderr: 'wigwag: no-ticket is no ticket of this gateway; nothing was changed\n',
    })
    expect(await messages('show', first)).toMatchObject({
      code: 1,
      stderr: `wigwag: ${first} is no ticket of this gateway, or its message was deleted\n`,
    })
    expect(await messages('settle', 'no-ticket', 'expired')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('success, failed'),
    })
  })

  it('keeps what is uncertain apart from what waits for too long otherwise', async () => {
    const ticket = await sendUncertain()
    const stuck = await messages('stuck', '--before', '0m')
    expect(stuck).toMatchObject({
      code: 0,
      stdout: '',
      stderr:
        'No message waits for longer than it should but the uncertain ones.\n' +
        '1 message is uncertain: wigwag messages uncertain lists them.\n',
    })
    const { stdout } = await messages('stuck', '--before', '0m', '--json')
    expect(JSON.parse(stdout)).toEqual({ messages: [], uncertain: 1 })
    await messages('settle', ticket, 'failed')
  })

  it('settles those that match together, after it has said what that does', async () => {
    const tickets = [await sendUncertain(), await sendUncertain()]
    const several = ['settle', 'failed', '--carrier', 'simulator', '--since', '1h']
    const said = /^This settles 2 messages as failed, which releases GHS 0\.\d+ \(simulator\)\.\n/
    const unasked = await messages(...several)
    expect(unasked).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(said) })
    expect(unasked.stderr).toContain('wigwag: add --yes to settle them; nothing was changed')
    expect(JSON.parse((await messages('uncertain', '--json')).stdout).total).toBe(2)

    const settled = await messages(...several, '--yes')
    expect(settled).toMatchObject({ code: 0, stderr: expect.stringMatching(said) })
    expect(settled.stdout).toBe('settled  2\nleft     0\n')
    for (const ticket of tickets)
      expect(await gateway.finalOf(account, ticket)).toMatchObject({ Status: 'failed' })
    expect((await messages(...several, '--yes')).stderr).toBe(
      'No uncertain message matches, so nothing was changed.\n',
    )
  })

  it('settles what a carrier’s list says, and names what it leaves', async () => {
    const [first, second, third] = [await sendUncertain(), await sendUncertain(), await sendUncertain()]
    const file = join(folder, 'simulator.csv')
    const rows = [`${first},Delivered`, `${second},UNDELIV`, 'nobody,delivered']
    writeFileSync(file, ['Reference,Status', ...rows].join('\n'))
    const settled = await messages('settle', '--file', file, '--yes', '--json')
    expect(settled.code).toBe(0)
    expect(settled.stderr).toMatch(/^1 row names no message: nobody$/m)
    expect(JSON.parse(settled.stdout)).toMatchObject({
      settled: 2,
      left: 0,
      others: 0,
      unknown: ['nobody'],
      parts: [
        { status: 'success', messages: 1, held: { GHS: expect.any(Number) } },
        { status: 'failed', messages: 1 },
      ],
    })
    expect(await gateway.finalOf(account, first)).toMatchObject({ Status: 'success' })
    expect(await gateway.finalOf(account, second)).toMatchObject({ Status: 'failed' })
    const again = await messages('settle', '--file', file, '--yes')
    expect(again.stderr).toMatch(/^2 rows are of messages that are not uncertain, and are left\.$/m)

    writeFileSync(file, [`reference,status`, `${third},who knows`, `${third},failed`, ',failed'].join('\n'))
    const wrong = await messages('settle', '--file', file, '--yes')
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toMatch(/:2: status: expected one of success, .*; got "who knows"$/m)
    expect(wrong.stderr).toMatch(/:4: reference: expected one, got an empty cell$/m)
    await messages('settle', third, 'failed')
  })

  it('lists them for their carrier, and reads its list by number and time', async () => {
    const ticket = await sendUncertain()
    const { stdout } = await messages('uncertain', '--csv', '--carrier', 'simulator')
    const [head, row = ''] = stdout.trimEnd().split('\n')
    expect(head).toBe('"reference","to","from","time"')
    expect(row).toMatch(new RegExp(`^"${ticket}","233241234567","ACME","(20[^"]+Z)"$`))
    const time = row.split('"').at(-2) ?? ''
    const file = join(folder, 'by-number.csv')
    const rows = [
      `+233 24 123 4567,${time.replace('T', ' ').slice(0, 16)},Delivered,F8`,
      `233241234567,2001-01-01 00:00,failed,`,
    ]
    writeFileSync(file, ['to,time,status,message_id', ...rows].join('\n'))
    const settled = await messages('settle', '--file', file, '--yes', '--json')
    expect(settled.stderr).toMatch(/^1 row names no message: 233241234567 at 2001-01-01T00:00:00Z$/m)
    expect(JSON.parse(settled.stdout)).toMatchObject({ settled: 1, left: 0 })
    expect(JSON.parse((await messages('show', ticket, '--json')).stdout)).toMatchObject({
      status: 'success',
      carrierReferences: ['F8'],
    })

    const wrong = ['to,time,status', '2.33E+11,2026-01-05 09:00,failed', '233241234567,yesterday,failed']
    writeFileSync(file, wrong.join('\n'))
    const refused = await messages('settle', '--file', file, '--yes')
    expect(refused.stderr).toMatch(/:2: to: expected a number with its country code; got "2.33E\+11"$/m)
    expect(refused.stderr).toMatch(/:3: time: expected one such as .*; got "yesterday"$/m)
    writeFileSync(file, 'to,status\n')
    expect((await messages('settle', '--file', file)).stderr).toContain(
      'expected the columns reference,status or to,time,status, and perhaps message_id; got to,status',
    )
  })

  it('leaves two to one number in the same minute to whoever knows which is meant', async () => {
    const tickets = [await sendUncertain(), await sendUncertain()]
    const [listed] = (JSON.parse((await messages('uncertain', '--json')).stdout) as Uncertain).messages
    const file = join(folder, 'both.csv')
    writeFileSync(file, `to,time,status\n233241234567,${listed?.submittedAt},failed\n`)
    const refused = await messages('settle', '--file', file, '--yes')
    expect(refused.stderr).toContain(`may be 2 messages: expected a reference, one of ${tickets.join(', ')}`)
    await messages('settle', 'failed', '--carrier', 'simulator', '--yes')
  })

  it('refuses a carrier that nobody knows, and names those there are', async () => {
    const file = join(folder, 'carrier.csv')
    writeFileSync(file, 'reference,status\nx,failed\n')
    for (const args of [
      ['settle', 'failed', '--yes'],
      ['settle', '--file', file],
      ['uncertain'],
      ['uncertain', '--csv'],
    ]) {
      const refused = await messages(...args, '--carrier', 'simulatr')
      expect([args, refused.code, refused.stderr]).toEqual([
        args,
        1,
        'wigwag: there is no carrier "simulatr" (did you mean simulator?); known are simulator\n',
      ])
    }
  })

  it('settles one as a receipt says that may be its', async () => {
    const ticket = await sendUncertain()
    const found = await messages('settle', ticket, '--receipt', 'F9')
    expect(found).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `wigwag: ${ticket} has no receipt "F9" of its carrier and number beside it; nothing was changed\n`,
    })
    // Two, so that the gateway leaves it to the operator which is meant.
    write(
      `INSERT INTO carrier_refs (carrier, ref, verdict, at, part, parts, recipient)
       VALUES ('simulator', 'F9', 'expired', 9999999999999, 0, 1, '233241234567'),
         ('simulator', 'F10', 'success', 9999999999999, 0, 1, '233241234567')`,
    )
    const listed = await messages('uncertain')
    expect(listed.stdout).toMatch(/ F10 success, F9 expired$/m)
    expect(listed.stderr).toMatch(/^1 message has receipts that may be of it: /m)
    const settled = await messages('settle', ticket, '--receipt', 'F9', '--json')
    expect(JSON.parse(settled.stdout)).toMatchObject({ ticket, status: 'expired', charged: false })
    expect((await messages('show', ticket)).stdout).toMatch(/^its reference +F9$/m)
    write("DELETE FROM carrier_refs WHERE ref = 'F10'")
  })

  it.each([
    [[], 'expected a ticket and a status, or a status with --carrier, --since or --before, or --file'],
    [['failed'], 'expected a ticket and a status, or a status with'],
    [['x', 'failed', '--carrier', 'north'], 'a ticket names one message: leave out'],
    [['--file', 'x.csv', '--since', '1d'], '--file names the messages and their statuses: leave out'],
    [['failed', '--receipt', 'F1', '--carrier', 'north'], '--receipt needs a ticket, and says the status'],
    [['delivered', '--carrier', 'north'], 'status: expected one of success, failed; got "delivered"'],
  ])('refuses to settle %j', async (args, message) => {
    expect(await messages('settle', ...args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    })
  })

  it('says what a message is that is not uncertain', async () => {
    await gateway.operate(['carriers', 'pause', 'simulator'])
    await gateway.until('the carrier is paused', async () => {
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
