import { counted } from '@wigwag/contract'
import { Command, Option } from 'commander'
import { OperatorError } from '../../accounts/index.ts'
import type { Config } from '../../config/config.ts'
import type { ListedOperator } from '../../sign-in/operators/index.ts'
import { personName } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

type Flags = StoreFlags & OutputFlags

export function operatorCommand(): Command {
  const add = withJson(withAudit(new Command('add')))
    .description('Let somebody into the desk: prints a link, good once and for an hour, to register with.')
    .argument('<name>', 'their name, which the audit log says', personName)
    .addOption(
      new Option('--role <role>', 'look sees everything, act changes it too')
        .choices(['look', 'act'])
        .makeOptionMandatory(),
    )
    .action(addOne)
  const list = withJson(withDatabase(new Command('list')))
    .description('List the operators.')
    .action(listAll)
  const end = withJson(withAudit(new Command('end')))
    .description('End an operator now: their sessions, and all that they sign in with.')
    .argument('<name>', 'their name')
    .action(endOne)
  return new Command('operator')
    .description('The people who may enter the desk, on WIGWAG_OPERATOR_PORT.')
    .addCommand(add)
    .addCommand(list)
    .addCommand(end)
}

async function addOne(name: string, { role, ...flags }: Flags & { role: 'look' | 'act' }): Promise<void> {
  const { operator, link } = await withParts(flags, async ({ operators }, config) => {
    const desk = addressOf(config)
    const made = await operators.add(name, role)
    return { operator: made.operator, link: `${desk}/enter#${made.secret}` }
  })
  output(flags, { ...shown({ ...operator, factors: NOTHING }), link }, link)
  say(
    `The link lets in who opens it first, once, within an hour. ${name} registers with it and ${ROLES[role]}.`,
  )
}

const ROLES = { look: 'looks', act: 'acts' }
const NOTHING = { passkeys: 0, hasGenerator: false, recoveryCodes: 0 }

/** Where the desk is, by the settings here. */
function addressOf({ desk }: Config): string {
  if (desk?.url !== undefined) return desk.url
  if (desk && desk.port !== 0) return `http://localhost:${desk.port}`
  throw new OperatorError(
    'a link needs the address of the desk: set WIGWAG_OPERATOR_PORT as the gateway has it, or WIGWAG_OPERATOR_URL',
  )
}

async function listAll(flags: Flags): Promise<void> {
  const operators = (await withParts(flags, (parts) => parts.operators.list())).map(shown)
  const cells = operators.map(
    ({ name, role, createdAt, endedAt, passkeys, codeGenerator, recoveryCodes }) => [
      name,
      role,
      createdAt.slice(0, 10),
      endedAt?.slice(0, 10) ?? '',
      String(passkeys),
      codeGenerator ? 'yes' : 'no',
      String(recoveryCodes),
    ],
  )
  const heads = ['NAME', 'ROLE', 'SINCE', 'ENDED', 'PASSKEYS', 'GENERATOR', 'RECOVERY CODES']
  output(flags, operators, cells.length > 0 ? table(heads, cells) : '')
  if (operators.length === 0) say('There are no operators: wigwag operator add lets one in.')
}

function shown({ name, role, createdAt, endedAt, factors }: ListedOperator) {
  return {
    name,
    role,
    createdAt: new Date(createdAt).toISOString(),
    endedAt: endedAt === 0 ? null : new Date(endedAt).toISOString(),
    passkeys: factors.passkeys,
    codeGenerator: factors.hasGenerator,
    recoveryCodes: factors.recoveryCodes,
  }
}

async function endOne(name: string, flags: Flags): Promise<void> {
  const { operator, factors } = await withParts(flags, async ({ operators }) => {
    const found = (await operators.list()).find((each) => each.name === name && each.endedAt === 0)
    return { operator: await operators.end(name), factors: found?.factors ?? NOTHING }
  })
  output(flags, shown({ ...operator, factors: NOTHING }), '')
  say(`${name} has ended: signed out, with ${counted(factors.passkeys, 'passkey')} deleted.`)
}
