import { Command } from 'commander'
import { accountLine, requireAccount } from './account-record.ts'
import { type StoreFlags, withOffice } from './office.ts'
import { type OutputFlags, output, withJson } from './output.ts'
import { withDatabase } from './settings.ts'
import { say } from './terminal.ts'

export function accountStatusCommands(): Command[] {
  return [
    statusCommand('suspend', 'suspended', 'Refuse every request of an account, until it is resumed.'),
    statusCommand('resume', 'active', 'Let a suspended account send again.'),
  ]
}

function statusCommand(name: string, status: 'active' | 'suspended', description: string): Command {
  return withJson(withDatabase(new Command(name)))
    .description(description)
    .argument('<account>', 'its ID or e-mail')
    .action(async (idOrEmail: string, flags: StoreFlags & OutputFlags) => {
      const account = await withOffice(flags, async ({ operator, database }) => {
        await operator.setStatus(idOrEmail, status)
        return accountLine(await database.read((connection) => requireAccount(connection, idOrEmail)))
      })
      output(flags, account, '')
      say(`${account.name} (${account.email}) is ${account.status}.`)
    })
}
