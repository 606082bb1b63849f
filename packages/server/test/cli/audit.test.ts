import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { createProgram } from '../../src/cli/program.ts'
import { type RunningGateway, startGateway } from './gateway.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
let gateway: RunningGateway
beforeAll(async () => {
  gateway = await startGateway(folder)
})

interface Row {
  actor: string
  action: string
  detail: Record<string, unknown>
}

async function auditOf(account: string): Promise<Row[]> {
  const { stdout } = await gateway.operate(['audit', '--account', account, '--json'])
  return JSON.parse(stdout) as Row[]
}

/** Commands that open the database and change nothing that the audit log is about. */
const READ_ONLY = [
  'person list',
  'serve',
  'migrate',
  'backup',
  'doctor',
  'audit',
  'account list',
  'account show',
  'wallet statement',
  'sender list',
  'connector list',
  'keys list',
  'rates list',
  'rates export',
  'rates history',
  'rates diff',
  'carriers list',
  'carriers costs',
  'messages stuck',
  'messages set-aside',
  'messages uncertain',
  'callbacks list',
  'operator list',
]

function withOption(command: Command, long: string, path = ''): string[] {
  const own = command.options.some((option) => option.long === long) ? [path] : []
  return [
    ...own,
    ...command.commands.flatMap((child) => withOption(child, long, `${path} ${child.name()}`.trim())),
  ]
}

// Each runs many commands, and a command takes seconds while other programs run.
describe('the audit log', () => {
  it('says who did it: the user of the machine, the person behind sudo, or the name that was given', async () => {
    const credit = ['wallet', 'credit', 'who@acme.example', '--amount', '1']
    await gateway.createAccount('who@acme.example', '--by', 'Ama Mensah')
    await gateway.operate(credit, { env: { SUDO_USER: '' } })
    await gateway.operate(credit, { env: { SUDO_USER: 'kofi' } })
    await gateway.operate([...credit, '--by', 'Esi'], { env: { SUDO_USER: 'kofi' } })
    expect((await auditOf('who@acme.example')).map(({ actor }) => actor)).toEqual([
      'operator:Esi',
      'operator:kofi',
      `operator:${userInfo().username}`,
      'operator:Ama Mensah',
    ])
    const ofEsi = await gateway.operate(['audit', '--actor', 'operator:Es', '--json'])
    expect(JSON.parse(ofEsi.stdout)).toMatchObject([{ actor: 'operator:Esi', action: 'wallet.credit' }])
    const { stdout } = await gateway.operate(['audit', '--account', 'who@acme.example'])
    expect(stdout).toMatch(/ wallet\.credit +operator:Esi +\S+ +\{"amount":1\}$/m)
  })

  it('says of what a gateway did by itself that it was the gateway', async () => {
    expect((await auditOf('demo@wigwag.dev')).map(({ actor }) => actor)).toEqual(['gateway'])
  })

  it('keeps why money was taken off and why an account was suspended, and shows it', async () => {
    const { accountId } = await gateway.createAccount('why@acme.example')
    const debit = ['wallet', 'debit', accountId, '--amount', '2', '--reference', 'BACK-9']
    await gateway.operate([...debit, '--reason', 'a chargeback, case 9'])
    await gateway.operate(['account', 'suspend', accountId, '--reason', 'unpaid since May'])
    await gateway.operate(['account', 'resume', accountId])
    expect((await auditOf(accountId)).slice(0, 3)).toMatchObject([
      { action: 'account.resume', detail: {} },
      { action: 'account.suspend', detail: { reason: 'unpaid since May' } },
      {
        action: 'wallet.debit',
        detail: { amount: 2, reference: 'BACK-9', reason: 'a chargeback, case 9' },
      },
    ])
    const { stdout } = await gateway.operate(['audit', '--account', accountId])
    expect(stdout).toMatch(/ account\.suspend +operator:\S+ +\S+ +\{"reason":"unpaid since May"\}$/m)
  })

  it.each([
    ['--by', '', 'Expected a name of 1 to 100 characters.'],
    ['--by', 'a\nb', 'Expected a name of 1 to 100 characters.'],
    ['--reason', ' ', 'Expected 1 to 500 characters on one line.'],
    ['--reason', 'x'.repeat(501), 'Expected 1 to 500 characters on one line.'],
  ])('takes no %s of %j', async (flag, text, said) => {
    const { code, stderr } = await gateway.operate(['account', 'suspend', 'demo@wigwag.dev', flag, text])
    expect(code).toBe(2)
    expect(stderr).toContain(said)
  })

  it('can be told a name by every command that it records', async () => {
    const program = await createProgram(() => true)
    const opening = withOption(program, '--database').filter((name) => !READ_ONLY.includes(name))
    // It opens two databases, by other names.
    expect(withOption(program, '--by').sort()).toEqual([...opening, 'move'].sort())
  })
})
