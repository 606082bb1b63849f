import { type Micros, toDecimal } from '@wigwag/contract'
import { Argument, Command, Option } from 'commander'
import { OperatorError } from '../../accounts/index.ts'
import { type Membership, ROLE_WORDS, ROLES } from '../../accounts/people/index.ts'
import type { Config } from '../../config/config.ts'
import type { Role } from '../../store/schema/schema.ts'
import { amount, email, wholeNumber } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { Failed, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { personLine } from './account-line.ts'
import { type StoreFlags, withParts, withReason } from './store.ts'

interface Flags extends StoreFlags, OutputFlags {
  account: string
}

export function personCommand(): Command {
  const add = changing('add', 'Let somebody into an account: prints a link, good once and for three days.')
    .argument('<email>', 'the address that they sign in with', email)
    .addOption(
      new Option('--role <role>', 'what they may do').choices(ROLES.map(String)).makeOptionMandatory(),
    )
    .addHelpText('after', `\n${ROLES.map((role) => `${role.padEnd(10)} ${ROLE_WORDS[role]}`).join('\n')}`)
    .action(addOne)
  const list = ofAccount(withJson(withDatabase(new Command('list'))))
    .description('List the people of an account, and those who are invited.')
    .action(listAll)
  const role = changing('role', 'Give somebody another role, from their next request on.')
    .argument('<email>', 'their address', email)
    .addArgument(new Argument('<role>', 'the new role').choices(ROLES.map(String)))
    .action(changeRole)
  const remove = changing('remove', 'Take somebody out of an account, with their sessions and assistants.')
    .argument('<email>', 'their address; of an invitation, to take it back', email)
    .action(removeOne)
  const reset = changing(
    'reset-factors',
    'Forget all that somebody signs in with, end their assistants, and print a link by which they begin anew.',
  )
    .argument('<email>', 'their address', email)
    .option('--keep-assistants', 'leave their assistants connected')
    .action(resetFactors)
  const require = changing(
    'require-factor',
    'Require a second factor of everybody in an account, or no more.',
  )
    .addArgument(new Argument('<whether>', 'on or off').choices(['on', 'off']))
    .action(requireFactor)
  const limit = changing(
    'limit',
    'Limit what all assistants of an account, or of one of its people, do in a day.',
  )
    .argument('[email]', 'the address of one person', email)
    .option('--spend <amount>', 'how much they may spend', amount)
    .option('--messages <number>', 'how many messages they may send', wholeNumber)
    .option('--none', 'lift the limits')
    .action(limitAssistants)
  const group = new Command('person').description('The people of accounts, who sign in to the console.')
  for (const command of [add, list, role, remove, reset, require, limit]) group.addCommand(command)
  return group
}

function changing(name: string, description: string): Command {
  return ofAccount(withJson(withReason(new Command(name)))).description(description)
}

function ofAccount(command: Command): Command {
  return command.requiredOption('--account <account>', 'the account; its ID or e-mail')
}

/** The link of an invitation, at the address of the console. */
export function invitationLink(config: Config, secret: string): string {
  const console = consoleOf(config)
  if (console !== undefined) return `${console}/invited#${secret}`
  throw new OperatorError(
    'a link needs the address at which people open the console: set WIGWAG_PUBLIC_URL as the gateway has it',
  )
}

/** Where people sign in to a gateway of these settings; undefined where they can't. */
export function consoleOf({ publicUrl, environment, host, port }: Config): string | undefined {
  return publicUrl ?? (environment === 'sandbox' ? `http://${host}:${port}` : undefined)
}

/** An account to which an address signs in. */
export function membershipLine({ accountId, name, role, since }: Membership) {
  return { accountId, name, role, since: new Date(since).toISOString() }
}

/** Says whose sign-in a link is for, where its address has one: no one has checked who took the address there. */
export function whoseSignIn(address: string, signsInTo: readonly Membership[]): string {
  const [first] = signsInTo
  const places = signsInTo.map(
    ({ accountId, name, role, since }) =>
      `  since ${new Date(since).toISOString().slice(0, 10)}, in account ${accountId} (${name}), as ${role}`,
  )
  return [
    `CAREFUL: ${address} signs in here already:`,
    ...places,
    'That account let them in, and no one has checked that the address is theirs. The link works once, within three days,',
    `for this sign-in alone. If it is not your customer's, wigwag person remove ${address} --account ${first?.accountId} removes it;`,
    'then the link begins a new sign-in.',
  ].join('\n')
}

async function addOne(typed: string, { role, ...flags }: Flags & { role: Role }): Promise<void> {
  const address = typed.toLowerCase()
  const { link, signsInTo } = await withParts(flags, async ({ people }, config) => {
    // Before anything is made that can't be shown.
    invitationLink(config, '')
    const link = invitationLink(config, await people.invite(flags.account, address, role))
    return { link, signsInTo: await people.signsInElsewhere(flags.account, address) }
  })
  output(flags, { email: address, role, link, signsInTo: signsInTo.map(membershipLine) }, link)
  if (signsInTo.length > 0) return say(whoseSignIn(address, signsInTo))
  say(`The link lets in who opens it first, once, within three days, as ${address}: ${ROLE_WORDS[role]}.`)
}

async function listAll(flags: Flags): Promise<void> {
  const { members, invited } = await withParts(flags, ({ people }) => people.list(flags.account))
  const shown = [
    ...members.map((member) => ({ ...personLine(member), invitedUntil: null })),
    ...invited.map(({ email: address, role, createdAt, expiresAt }) => ({
      email: address,
      role,
      since: new Date(createdAt).toISOString(),
      signsInWith: 'nothing yet',
      limits: null,
      invitedUntil: new Date(expiresAt).toISOString(),
    })),
  ]
  const cells = shown.map(({ email: address, role, since, signsInWith, invitedUntil }) => [
    address,
    role,
    since.slice(0, 10),
    invitedUntil === null ? signsInWith : `invited until ${invitedUntil.slice(0, 16)}`,
  ])
  output(flags, shown, cells.length > 0 ? table(['E-MAIL', 'ROLE', 'SINCE', 'SIGNS IN WITH'], cells) : '')
  if (cells.length === 0) say('Nobody is in this account.')
}

async function changeRole(address: string, role: Role, flags: Flags): Promise<void> {
  const changed = await withParts(flags, ({ people }) => people.setRole(flags.account, address, role))
  output(flags, { email: address, role, changed }, '')
  say(changed ? `${address} may do this now: ${ROLE_WORDS[role]}.` : `${address} has that role already.`)
}

async function removeOne(address: string, flags: Flags): Promise<void> {
  const was = await withParts(flags, async ({ people }) => {
    const { members } = await people.list(flags.account)
    const isIn = members.some((member) => member.email === address.toLowerCase())
    await (isIn ? people.remove(flags.account, address) : people.withdraw(flags.account, address))
    return isIn ? 'in' : 'invited'
  })
  output(flags, { email: address, was }, '')
  say(
    was === 'in'
      ? `${address} is out: signed out, and the assistants that they let in are too.`
      : `The invitation of ${address} is taken back.`,
  )
}

async function resetFactors(
  address: string,
  { keepAssistants, ...flags }: Flags & { keepAssistants?: true },
): Promise<void> {
  const assistants = keepAssistants ? 'keep' : 'end'
  const link = await withParts(flags, async ({ people }, config) => {
    invitationLink(config, '')
    return invitationLink(config, await people.reset(flags.account, address, assistants))
  })
  output(flags, { email: address, link }, link)
  say(
    `${address} is signed out everywhere${keepAssistants ? '' : ', and so are their assistants'}. They begin anew with this link, once, within three days.`,
  )
}

async function requireFactor(whether: 'on' | 'off', flags: Flags): Promise<void> {
  const changed = await withParts(flags, ({ people }) =>
    people.requireFactor(flags.account, whether === 'on'),
  )
  output(flags, { required: whether === 'on', changed }, '')
  const now = {
    on: 'The next sign-in of everybody leads through a second factor.',
    off: 'A password alone is enough.',
  }
  say(changed ? now[whether] : 'It is so already.')
}

interface LimitFlags extends Flags {
  spend?: Micros
  messages?: number
  none?: true
}

async function limitAssistants(address: string | undefined, flags: LimitFlags): Promise<void> {
  const { spend = null, messages = null, none } = flags
  if ((spend === null && messages === null) !== (none === true))
    throw new Failed('expected --spend, --messages or both; or --none to lift the limits', 2)
  await withParts(flags, ({ people }) => people.limitAssistants(flags.account, address, { spend, messages }))
  output(flags, { email: address ?? null, spend: spend === null ? null : toDecimal(spend), messages }, '')
  say(none ? 'The limits are lifted.' : 'The limits are in force.')
}
