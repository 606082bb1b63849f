import { Command } from 'commander'
import { hashPassword } from '../gateway/password.ts'
import { accountLine, requireAccount } from './account-record.ts'
import { type StoreFlags, withOffice } from './office.ts'
import { type OutputFlags, output, withJson } from './output.ts'
import { readPassword } from './password-stdin.ts'
import { withDatabase } from './settings.ts'
import { say } from './terminal.ts'

export function accountPasswordCommand(): Command {
  return withJson(withDatabase(new Command('set-password')))
    .description(
      'Give an account another password. Whoever is signed in with the old one has to sign in again.',
    )
    .argument('<account>', 'its ID or e-mail')
    .requiredOption('--password-stdin', 'read the password from standard input')
    .action(setPassword)
}

async function setPassword(idOrEmail: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const passwordHash = await hashPassword(await readPassword(process.stdin))
  const account = await withOffice(flags, async ({ operator, database }) => {
    await operator.setPassword(idOrEmail, passwordHash)
    return accountLine(await database.read((connection) => requireAccount(connection, idOrEmail)))
  })
  output(flags, account, '')
  say(`${account.name} (${account.email}) signs in with the new password.`)
}
