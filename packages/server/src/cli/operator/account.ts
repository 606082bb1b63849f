import { type Micros, toDecimal } from '@wigwag/contract'
import { Command, InvalidArgumentError } from 'commander'
import { clientsOf, lastUses, listAccounts, requireAccount, sendersOf } from '../../accounts/index.ts'
import { membersOf } from '../../accounts/people/index.ts'
import { available } from '../../kernel/money/ledger.ts'
import { moneyOfDecimal } from '../../kernel/money/shown.ts'
import { isCountry } from '../../kernel/phone/numbering-plan.ts'
import { type WalletRow, walletsByAccount, walletsOf, warningsByWallet } from '../../money/index.ts'
import type { Tx } from '../../store/database.ts'
import { amount, currency, email, personName, senderIds } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { Failed, lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { accountLine, personLine } from './account-line.ts'
import { accountPasswordCommand, accountRotateCommands, readPasswordHash } from './account-secrets.ts'
import { accountConnectionsCommand } from './connector.ts'
import { consoleOf, invitationLink, membershipLine, whoseSignIn } from './person.ts'
import { accountEraseCommand, accountExportCommand } from './privacy.ts'
import { type StoreFlags, withAudit, withParts, withReason } from './store.ts'

export function accountCommand(): Command {
  const group = new Command('account').description(
    'The accounts of customers, each named by its ID or e-mail.',
  )
  const commands = [
    accountCreateCommand(),
    accountListCommand(),
    accountShowCommand(),
    accountEditCommand(),
    ...accountStatusCommands(),
    ...accountRotateCommands(),
    accountPasswordCommand(),
    accountConnectionsCommand(),
    accountExportCommand(),
    accountEraseCommand(),
  ]
  for (const command of commands) group.addCommand(command)
  return group
}

interface CreateFlags extends StoreFlags, OutputFlags {
  name: string
  email: string
  passwordStdin?: true
  currency: string
  balance?: Micros
  sender?: string[]
}

function accountCreateCommand(): Command {
  const command = new Command('create')
    .description('Create an account and print its credentials, which are shown only once.')
    .requiredOption('--name <name>', "the customer's name", personName)
    .requiredOption('--email <address>', "the customer's e-mail address, also for signing in", email)
    .option('--password-stdin', 'read the password for signing in from standard input')
    .option('--currency <code>', 'the currency of the wallet', currency, 'GHS')
    .option('--balance <amount>', 'the opening balance of the wallet (default: 0)', amount)
    .option('--sender <id>', 'a sender ID to approve; may be given several times', senderIds)
  return withJson(withAudit(command)).action(createAccount)
}

async function createAccount(flags: CreateFlags): Promise<void> {
  const passwordHash = flags.passwordStdin && (await readPasswordHash())
  const { link, signsInTo, ...secrets } = await withParts(flags, async ({ operator, people }, config) => {
    const made = await operator.createAccount({
      name: flags.name,
      email: flags.email,
      ...(passwordHash ? { passwordHash } : {}),
      currency: flags.currency,
      balance: flags.balance ?? (0 as Micros),
      senders: flags.sender ?? [],
    })
    const owner = await people.firstLink(made.accountId, flags.email)
    return {
      ...made,
      link:
        owner === undefined || consoleOf(config) === undefined ? undefined : invitationLink(config, owner),
      signsInTo: await people.signsInElsewhere(made.accountId, flags.email),
    }
  })
  const { accountId, clientId, clientSecret, walletToken, callbackSecret } = secrets
  output(
    flags,
    {
      accountId,
      clientId,
      clientSecret,
      walletToken,
      callbackSecret,
      ownerLink: link ?? null,
      ownerSignsInTo: signsInTo.map(membershipLine),
    },
    lines([
      ['account ID', accountId],
      ['client ID', clientId],
      ['client secret', clientSecret],
      ['wallet token', walletToken],
      ['callback secret', callbackSecret],
      ...(link === undefined ? [] : [['link for the owner', link] as const]),
    ]),
  )
  say('Keep these: the client secret and the wallet token cannot be shown again.')
  if (link !== undefined)
    say(
      signsInTo.length === 0
        ? `By the link ${flags.email} begins to sign in to the console, once, within three days.`
        : whoseSignIn(flags.email, signsInTo),
    )
}

function accountListCommand(): Command {
  return withJson(withDatabase(new Command('list')))
    .description('List all accounts with their balances and their last use, oldest first.')
    .argument('[search]', 'a part of the name or e-mail, or an account ID, client ID or sender ID')
    .action(listAll)
}

async function listAll(search: string | undefined, flags: StoreFlags & OutputFlags): Promise<void> {
  const { rows, wallets, warnings, uses } = await withParts(flags, ({ database }) =>
    database.read(async (tx) => ({
      rows: await listAccounts(tx, search),
      wallets: await walletsByAccount(tx),
      warnings: await warningsByWallet(tx),
      uses: await lastUses(tx),
    })),
  )
  const accounts = rows.map((row) => {
    const usedAt = uses.get(row.id)
    return {
      ...accountLine(row),
      lastUsedAt: usedAt === undefined ? null : new Date(usedAt).toISOString(),
      wallets: (wallets.get(row.id) ?? []).map((wallet) => walletLine(wallet, warnings)),
    }
  })
  const cells = accounts.map(({ accountId, name, email, status, createdAt, lastUsedAt, wallets }) => [
    accountId,
    status,
    createdAt.slice(0, 10),
    lastUsedAt?.slice(0, 10) ?? 'never',
    wallets
      .map(({ balance, currency, low }) => `${moneyOfDecimal(balance, currency)}${low ? ' (low)' : ''}`)
      .join(', '),
    email,
    name,
  ])
  const headings = ['ACCOUNT', 'STATUS', 'SINCE', 'LAST USED', 'BALANCE', 'E-MAIL', 'NAME']
  output(flags, accounts, table(headings, cells))
}

function accountShowCommand(): Command {
  return withJson(withDatabase(new Command('show')))
    .description('Show an account with its clients, wallets and sender IDs.')
    .argument('<account>', 'its ID or e-mail')
    .action(show)
}

async function show(idOrEmail: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const account = await withParts(flags, ({ database }) =>
    database.read((tx) => accountRecord(tx, idOrEmail)),
  )
  const { accountId, name, email, status, statusSince, createdAt, people } = account
  const { clients, wallets, senders } = account
  const text = lines([
    ['account ID', accountId],
    ['name', name],
    ['e-mail', email],
    ['status', status === 'active' ? status : `${status} since ${statusSince}`],
    ['since', createdAt],
    ...people.map(
      ({ email, role, signsInWith }) =>
        ['person', `${email}: ${role}, signs in with ${signsInWith}`] as const,
    ),
    ...clients.map(({ clientId }) => ['client ID', clientId] as const),
    ...wallets.map(
      ({ walletId, balance, held, currency, warnBelow, low }) =>
        [
          'wallet',
          `${walletId}: balance ${moneyOfDecimal(balance, currency)}, ${moneyOfDecimal(held, currency)} held${warnBelow === null ? '' : `, ${low ? 'low' : 'enough'}: warns below ${moneyOfDecimal(warnBelow, currency)}`}`,
        ] as const,
    ),
    ...senders.map(({ senderId, status }) => ['sender ID', `${senderId}: ${status}`] as const),
  ])
  output(flags, account, text)
}

/** An account with its clients, wallets and sender IDs, without secrets. */
async function accountRecord(tx: Tx, idOrEmail: string) {
  const account = await requireAccount(tx, idOrEmail)
  const clients = await clientsOf(tx, account.id)
  const wallets = await walletsOf(tx, account.id)
  const warnings = await warningsByWallet(tx)
  const senders = await sendersOf(tx, account.id)
  return {
    ...accountLine(account),
    people: (await membersOf(tx, account.id)).map(personLine),
    clients: clients.map(({ id }) => ({ clientId: id })),
    wallets: wallets.map((wallet) => walletLine(wallet, warnings)),
    senders: senders.map(({ sender, status }) => ({ senderId: sender, status })),
  }
}

function walletLine({ id, currency, posted, held }: WalletRow, warnings: ReadonlyMap<string, Micros>) {
  const threshold = warnings.get(id)
  return {
    walletId: id,
    currency,
    balance: toDecimal(available({ posted, held })),
    posted: toDecimal(posted),
    held: toDecimal(held),
    warnBelow: threshold === undefined ? null : toDecimal(threshold),
    low: threshold !== undefined && available({ posted, held }) < threshold,
  }
}

interface EditFlags extends StoreFlags, OutputFlags {
  name?: string
  email?: string
  country?: string
}

function accountEditCommand(): Command {
  return withJson(withReason(new Command('edit')))
    .description('Rename an account, or change its address or its country.')
    .argument('<account>', 'its ID or e-mail')
    .option('--name <name>', "the customer's new name", personName)
    .option('--email <address>', 'its new e-mail address', email)
    .option(
      '--country <code>',
      'whose numbers its people may write without country code, such as GH; none for none',
      country,
    )
    .addHelpText(
      'after',
      '\nThe address names the account here. Its people sign in with their own, which\nstay as they are: wigwag person changes who is in the account.',
    )
    .action(editAccount)
}

/** A country's code in capitals; empty for `none`. */
function country(text: string): string {
  if (text === 'none') return ''
  const code = text.toUpperCase()
  if (isCountry(code)) return code
  throw new InvalidArgumentError('expected the two letters of a country, such as GH, or none')
}

async function editAccount(idOrEmail: string, flags: EditFlags): Promise<void> {
  const { name, email, country } = flags
  if (name === undefined && email === undefined && country === undefined)
    throw new Failed('expected --name, --email or --country', 2)
  const { changed, ...account } = await withParts(flags, ({ operator }) =>
    operator.edit(idOrEmail, { name, email, country }),
  )
  output(flags, { ...accountLine(account), changed }, '')
  const who = `${account.name} (${account.email})`
  say(changed ? `It is ${who} now.` : `It is ${who} already. Nothing was changed.`)
}

function accountStatusCommands(): Command[] {
  return [
    statusCommand('suspend', 'suspended', 'Refuse every request of an account until it is resumed.'),
    statusCommand('resume', 'active', 'Let a suspended account send again.'),
  ]
}

function statusCommand(name: string, status: 'active' | 'suspended', description: string): Command {
  return withJson(withReason(new Command(name)))
    .description(description)
    .argument('<account>', 'its ID or e-mail')
    .action(async (idOrEmail: string, flags: StoreFlags & OutputFlags) => {
      const { changed, ...account } = await withParts(flags, ({ operator }) =>
        operator.setStatus(idOrEmail, status),
      )
      const shown = accountLine(account)
      output(flags, { ...shown, changed }, '')
      const who = `${account.name} (${account.email})`
      say(
        changed
          ? `${who} is ${status}.`
          : `${who} is ${status} already, since ${shown.statusSince}. Nothing was changed.`,
      )
    })
}
