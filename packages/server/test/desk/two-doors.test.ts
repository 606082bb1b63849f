import { join } from 'node:path'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import type { AccountSecrets } from '../../src/accounts/operator.ts'
import { createProgram } from '../../src/cli/program.ts'
import { systemClock } from '../../src/kernel/process/clock.ts'
import { readAudit } from '../../src/store/audit/index.ts'
import { runProgram, temporaryFolder } from '../cli/program.ts'
import { press } from '../console/forms.ts'
import { openDesk } from './desk.ts'

/** A task of operators, done by a command and at the desk, or on one side alone for a reason. */
interface UseCase {
  what: string
  /** As they are typed, or why there is none. */
  commands: readonly string[] | { none: string }
  /** Routes of the desk, or why there is none. */
  pages: readonly string[] | { none: string }
}

const USE_CASES: readonly UseCase[] = [
  { what: 'see whether all is well', commands: ['doctor'], pages: ['GET /', 'GET /live'] },

  { what: 'find a customer', commands: ['account list'], pages: ['GET /customers'] },
  { what: 'make a customer', commands: ['account create'], pages: both('/customers/new') },
  {
    what: 'see a customer, its keys and its assistants',
    commands: ['account show', 'keys list', 'account connections'],
    pages: ['GET /customers/:id'],
  },
  {
    what: 'rename a customer or change its address',
    commands: ['account edit'],
    pages: both('/customers/:id/edit'),
  },
  {
    what: 'suspend and restore a customer',
    commands: ['account suspend', 'account resume'],
    pages: both('/customers/:id/standing'),
  },
  {
    what: 'replace a secret',
    commands: ['account rotate-secret', 'account rotate-wallet-token', 'account rotate-callback-secret'],
    pages: ['POST /customers/:id/keys/rotate'],
  },
  { what: 'end an old key', commands: ['keys end'], pages: ['POST /customers/:id/keys/end'] },
  {
    what: 'end the connections of assistants',
    commands: ['account connections'],
    pages: ['POST /customers/:id/connections/end'],
  },
  { what: 'see who is in an account', commands: ['person list'], pages: ['GET /customers/:id/people'] },
  { what: 'let somebody into an account', commands: ['person add'], pages: people('invite') },
  {
    what: 'take somebody or an invitation back',
    commands: ['person remove'],
    pages: people('remove', 'withdraw'),
  },
  { what: 'change a role', commands: ['person role'], pages: people('role') },
  { what: 'have somebody begin anew', commands: ['person reset-factors'], pages: people('reset') },
  { what: 'require a second factor', commands: ['person require-factor'], pages: people('factor') },
  {
    what: 'limit the assistants of an account or a person',
    commands: ['person limit'],
    pages: {
      none: 'Owners set these limits in the console; an operator does it for them once in a long while.',
    },
  },
  {
    what: 'see the console of a customer',
    commands: { none: 'A terminal has no pages to show.' },
    pages: ['GET /customers/:id/console', 'GET /customers/:id/console/*'],
  },
  { what: 'export a customer', commands: ['account export'], pages: ['POST /customers/:id/export'] },
  { what: 'erase a customer', commands: ['account erase'], pages: both('/customers/:id/erase') },
  {
    what: 'set the password of a customer',
    commands: ['account set-password'],
    pages: { none: 'With it an operator could sign in as the customer, which takes access to the machine.' },
  },

  {
    what: 'add and take back money',
    commands: ['wallet credit', 'wallet debit'],
    pages: both('/customers/:id/money'),
  },
  {
    what: 'read a statement',
    commands: ['wallet statement'],
    pages: ['GET /customers/:id/statement', 'GET /customers/:id/statement.csv'],
  },
  { what: 'say when a wallet is low', commands: ['wallet warn'], pages: ['POST /customers/:id/warn'] },

  { what: 'see which sender IDs wait', commands: ['sender list'], pages: ['GET /senders'] },
  { what: 'approve a sender ID', commands: ['sender approve'], pages: ['POST /senders/approve'] },
  { what: 'reject a sender ID', commands: ['sender reject'], pages: both('/senders/reject') },

  { what: 'find messages', commands: ['messages find'], pages: ['GET /messages'] },
  {
    what: 'follow a message and open its text',
    commands: ['messages show'],
    pages: ['GET /messages/:id', 'POST /messages/:id/text'],
  },
  {
    what: 'see what waits for too long',
    commands: ['messages stuck'],
    pages: ['GET /messages/waiting'],
  },
  {
    what: 'see what keeps failing',
    commands: ['messages set-aside'],
    pages: ['GET /messages/set-aside'],
  },
  {
    what: 'see what is uncertain',
    commands: ['messages uncertain'],
    pages: ['GET /messages/uncertain', 'GET /messages/uncertain/file.csv'],
  },
  {
    what: 'decide what is uncertain',
    commands: ['messages settle'],
    pages: ['POST /messages/uncertain/check', 'POST /messages/uncertain/settle'],
  },
  { what: 'see callbacks', commands: ['callbacks list'], pages: ['GET /messages/callbacks'] },
  {
    what: 'post callbacks again',
    commands: ['callbacks replay'],
    pages: [...both('/messages/callbacks/replay'), 'POST /messages/:id/callback'],
  },
  {
    what: 'erase a number',
    commands: ['number erase'],
    pages: { none: 'It reads every table, and its file is cleared by the same command in a quiet hour.' },
  },

  {
    what: 'see the carriers',
    commands: ['carriers list'],
    pages: ['GET /carriers', 'GET /carriers/plan/live', 'GET /carriers/:name'],
  },
  {
    what: 'see how messages end, by carrier, country and customer',
    commands: { none: 'The page compares them, and the metrics have the numbers for programs.' },
    pages: ['GET /deliveries', 'GET /carriers/:name', 'GET /customers/:id'],
  },
  { what: 'see what carriers cost', commands: ['carriers costs'], pages: ['GET /carriers/:name'] },
  {
    what: 'pause and resume a carrier',
    commands: ['carriers pause', 'carriers resume'],
    pages: both('/carriers/:name/switch'),
  },
  {
    what: 'have the carriers read again',
    commands: ['carriers reload'],
    pages: both('/carriers/plan/reload'),
  },
  {
    what: 'ask which way a number would go, and send a test message',
    commands: ['carriers test'],
    pages: ['GET /carriers/plan/way', ...both('/carriers/:name/test')],
  },

  {
    what: 'see the prices',
    commands: ['rates list', 'rates export'],
    pages: ['GET /prices', 'GET /prices/file.csv'],
  },
  {
    what: 'compare and import prices',
    commands: ['rates diff', 'rates import'],
    pages: [...both('/prices/import'), 'POST /prices/check'],
  },
  {
    what: 'see earlier prices and take them back',
    commands: ['rates history', 'rates restore'],
    pages: ['GET /prices/earlier', 'GET /prices/earlier/:number', 'POST /prices/restore'],
  },

  { what: 'read who did what', commands: ['audit'], pages: ['GET /audit', 'GET /audit/file.csv'] },
  { what: 'see who may enter', commands: ['operator list'], pages: ['GET /operators'] },
  { what: 'let an operator in', commands: ['operator add'], pages: ['POST /operators/add'] },
  { what: 'end an operator', commands: ['operator end'], pages: both('/operators/end') },

  {
    what: 'run the gateway',
    commands: ['serve', 'migrate', 'backup', 'move'],
    pages: { none: 'They make or move the process and its database, which a page of it can’t.' },
  },
  {
    what: 'try the mail server',
    commands: ['mail test'],
    pages: { none: 'It is tried where its password is set, before a gateway starts with it.' },
  },
  {
    what: 'keep the secrets of the installation',
    commands: ['keys rotate', 'secret reseal'],
    pages: { none: 'Whoever changes these holds WIGWAG_SECRET, which stays on the machine.' },
  },
  {
    what: 'serve assistants elsewhere',
    commands: ['connector check', 'connector add', 'connector list', 'connector remove'],
    pages: { none: 'They are done where that other program is set up, from its machine.' },
  },
  {
    what: 'send as a customer',
    commands: ['send', 'bulk', 'status', 'balance', 'listen'],
    pages: { none: 'They use the API with a customer’s keys; a customer’s pages are the console.' },
  },
  {
    what: 'try a gateway',
    commands: ['smsc', 'sandbox clock', 'sandbox faults', 'sandbox now', 'sandbox wait', 'conform'],
    pages: { none: 'They play the other side of a gateway, or break a sandbox.' },
  },
  {
    what: 'find one’s way in a shell',
    commands: ['help', 'completion'],
    pages: { none: 'A browser needs neither.' },
  },

  {
    what: 'come in, and prove who it is',
    commands: { none: 'A command is run by a user of the machine, whom the machine has let in.' },
    pages: [
      ...both('/sign-in'),
      'POST /sign-in/passkey',
      'POST /sign-out',
      'POST /open',
      ...both('/enter'),
      'GET /register',
      'POST /register/passkey',
      'POST /register/code',
      'POST /passkey/sign-in',
      'POST /passkey/prove',
      'POST /passkey/register',
    ],
  },
  {
    what: 'choose light or dark',
    commands: { none: 'A terminal has its own colours.' },
    pages: ['GET /assets/:name', 'POST /theme'],
  },
]

/** A form, and the page that shows it. */
function both(path: string): string[] {
  return [`GET ${path}`, `POST ${path}`]
}

/** Forms of the page of a customer's people. */
function people(...what: string[]): string[] {
  return what.map((one) => `POST /customers/:id/people/${one}`)
}

function named(side: UseCase['commands']): readonly string[] {
  return 'none' in side ? [] : side
}

describe('a command and a page', () => {
  it('are the two ways to each use case: every command is in this table', async () => {
    const program = await createProgram(() => true)
    const listed = USE_CASES.flatMap(({ commands }) => named(commands))
    expect([...new Set(listed)].sort()).toEqual(leavesOf(program).sort())
  })

  it('are the two ways to each use case: every route of the desk is in this table', async () => {
    const { gateway } = await openDesk()
    const routes = (gateway.deskApp?.routes ?? []).filter(({ method }) => method !== 'ALL')
    const names = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    const listed = USE_CASES.flatMap(({ pages }) => named(pages))
    expect([...new Set(listed)].sort()).toEqual([...names].sort())
  })

  it('are never both missing', () => {
    const nowhere = USE_CASES.filter(({ commands, pages }) => 'none' in commands && 'none' in pages)
    expect(nowhere).toEqual([])
  })
})

function leavesOf({ commands }: Command, path = ''): string[] {
  return commands.flatMap((child) => {
    const own = `${path} ${child.name()}`.trim()
    return child.commands.length > 0 ? leavesOf(child, own) : [own]
  })
}

/** Done by a command to the first customer, and at the desk to the second. */
interface Tried {
  command: string
  args(id: string): string[]
  route: string
  /** The page with the form. */
  page(id: string): string
  values?: Record<string, string>
}

const TRIED: readonly Tried[] = [
  {
    command: 'account suspend',
    args: (id) => [id, '--reason', 'unpaid'],
    route: 'POST /customers/:id/standing',
    page: (id) => `/customers/${id}/standing`,
    values: { reason: 'unpaid' },
  },
  {
    command: 'account resume',
    args: (id) => [id],
    route: 'POST /customers/:id/standing',
    page: (id) => `/customers/${id}/standing`,
  },
  {
    command: 'wallet credit',
    args: (id) => [id, '--amount', '2.5', '--reference', 'R1', '--reason', 'paid'],
    route: 'POST /customers/:id/money',
    page: (id) => `/customers/${id}/money?kind=credit&amount=2.5&reference=R1&reason=paid`,
  },
  {
    command: 'wallet warn',
    args: (id) => [id, '--below', '9'],
    route: 'POST /customers/:id/warn',
    page: (id) => `/customers/${id}`,
    values: { below: '9' },
  },
  {
    command: 'sender approve',
    args: (id) => [id, 'ACME'],
    route: 'POST /senders/approve',
    page: () => '/senders',
  },
  {
    command: 'carriers pause',
    args: () => ['simulator', '--reason', 'it rests'],
    route: 'POST /carriers/:name/switch',
    page: () => '/carriers/simulator/switch',
    values: { to: 'paused', reason: 'it rests' },
  },
  {
    command: 'carriers resume',
    args: () => ['simulator'],
    route: 'POST /carriers/:name/switch',
    page: () => '/carriers/simulator/switch',
    values: { to: 'resumed' },
  },
  {
    command: 'operator add',
    args: () => ['eve', '--role', 'look'],
    route: 'POST /operators/add',
    page: () => '/operators',
    values: { name: 'eve', role: 'look' },
  },
  {
    command: 'operator end',
    args: () => ['eve'],
    route: 'POST /operators/end',
    page: () => '/operators/end?name=eve',
  },
]

const ALL = { accountId: undefined, since: undefined, action: undefined }

describe('what is done by a command and at the desk', () => {
  const folder = temporaryFolder()

  it('leaves the same rows in the audit log', async () => {
    const database = `file:${join(folder, 'gateway.db')}`
    // By the commands’ time: rows are in the order of time.
    const desk = await openDesk(database, {}, { clock: systemClock })
    const { person } = await desk.operator('ada')
    const [first, second] = [await desk.account('one', 0), await desk.account('two', 0)]
    for (const { accountId } of [first, second])
      await desk.gateway.operator.setSender(accountId, 'ACME', 'pending')

    async function audited({ accountId }: AccountSecrets, work: () => Promise<void>) {
      const read = () => desk.gateway.database.read((tx) => readAudit(tx, ALL, 1_000))
      const before = (await read()).length
      await work()
      const rows = (await read()).reverse().slice(before)
      return rows.map(({ accountId: of, actor, action, detail }) => ({
        actor,
        action,
        detail,
        isTheirs: of === accountId,
      }))
    }

    const byCommand = await audited(first, async () => {
      for (const { command, args } of TRIED) {
        const words = [...command.split(' '), ...args(first.accountId), '--by', 'ada', '--database', database]
        const { code, stderr } = await runProgram(words, {
          cwd: folder,
          env: { WIGWAG_OPERATOR_PORT: '8081' },
        })
        expect(code, `${command}: ${stderr}`).toBe(0)
      }
    })
    const atDesk = await audited(second, async () => {
      for (const { route, page, values } of TRIED) {
        const shown = await person.visit(desk.deskUrl + page(second.accountId))
        const path = route.replace('POST ', '').replace(':id', second.accountId).replace(':name', 'simulator')
        const done = await press(person, shown, path, values)
        expect(done.status, `${route}: ${done.text}`).toBe(200)
      }
    })
    expect(byCommand).toHaveLength(TRIED.length)
    expect(atDesk).toEqual(byCommand)
  })

  it('is one row of the table', () => {
    const apart = TRIED.filter(({ command, route }) => {
      const isIn = ({ commands, pages }: UseCase) =>
        named(commands).includes(command) && named(pages).includes(route)
      return !USE_CASES.some(isIn)
    })
    expect(apart).toEqual([])
  })
})
