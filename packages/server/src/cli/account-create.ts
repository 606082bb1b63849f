import { Command } from 'commander'
import type { Micros } from '../domain/money.ts'
import { hashPassword } from '../gateway/password.ts'
import { amount, currency, email, personName, senderIds } from './arguments.ts'
import { type StoreFlags, withOffice } from './office.ts'
import { lines, type OutputFlags, output, withJson } from './output.ts'
import { readPassword } from './password-stdin.ts'
import { withDatabase } from './settings.ts'
import { say } from './terminal.ts'

interface CreateFlags extends StoreFlags, OutputFlags {
  name: string
  email: string
  passwordStdin?: true
  currency: string
  balance?: Micros
  sender?: string[]
}

export function accountCreateCommand(): Command {
  const command = new Command('create')
    .description('Make an account and print its credentials, which are shown this once.')
    .requiredOption('--name <name>', 'what the customer is called', personName)
    .requiredOption('--email <address>', 'where the customer is reached, and signs in with', email)
    .option('--password-stdin', 'read the password for signing in from standard input')
    .option('--currency <code>', 'of the wallet', currency, 'GHS')
    .option('--balance <amount>', 'what the wallet holds at first (default: 0)', amount)
    .option('--sender <id>', 'a sender ID to approve; may be given several times', senderIds)
  return withJson(withDatabase(command)).action(createAccount)
}

async function createAccount(flags: CreateFlags): Promise<void> {
  const password = flags.passwordStdin && (await readPassword(process.stdin))
  const secrets = await withOffice(
    flags,
    async ({ operator }) =>
      operator.createAccount({
        name: flags.name,
        email: flags.email,
        ...(password ? { passwordHash: await hashPassword(password) } : {}),
        currency: flags.currency,
        balance: flags.balance ?? (0 as Micros),
        senders: flags.sender ?? [],
      }),
    'create',
  )
  const { accountId, clientId, clientSecret, walletToken, callbackSecret } = secrets
  output(
    flags,
    { accountId, clientId, clientSecret, walletToken, callbackSecret },
    lines([
      ['account ID', accountId],
      ['client ID', clientId],
      ['client secret', clientSecret],
      ['wallet token', walletToken],
      ['callback secret', callbackSecret],
    ]),
  )
  say('Keep these: the client secret and the wallet token cannot be shown again.')
}
