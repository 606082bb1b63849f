import { Command } from 'commander'
import { listAccounts } from '../store/accounts.ts'
import { accountLine } from './account-record.ts'
import { type StoreFlags, withOffice } from './office.ts'
import { type OutputFlags, output, table, withJson } from './output.ts'
import { withDatabase } from './settings.ts'

export function accountListCommand(): Command {
  return withJson(withDatabase(new Command('list')))
    .description('List all accounts, the oldest first.')
    .action(listAll)
}

async function listAll(flags: StoreFlags & OutputFlags): Promise<void> {
  const rows = await withOffice(flags, ({ database }) => database.read(listAccounts))
  const accounts = rows.map(accountLine)
  const cells = accounts.map(({ accountId, name, email, status, createdAt }) => [
    accountId,
    status,
    createdAt.slice(0, 10),
    email,
    name,
  ])
  output(flags, accounts, table(['ACCOUNT', 'STATUS', 'SINCE', 'E-MAIL', 'NAME'], cells))
}
