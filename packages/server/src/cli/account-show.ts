import { Command } from 'commander'
import { accountRecord } from './account-record.ts'
import { type StoreFlags, withOffice } from './office.ts'
import { lines, type OutputFlags, output, withJson } from './output.ts'
import { withDatabase } from './settings.ts'

export function accountShowCommand(): Command {
  return withJson(withDatabase(new Command('show')))
    .description('Show an account with its clients, wallets and sender IDs.')
    .argument('<account>', 'its ID or e-mail')
    .action(show)
}

async function show(idOrEmail: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const account = await withOffice(flags, ({ database }) =>
    database.read((connection) => accountRecord(connection, idOrEmail)),
  )
  const { accountId, name, email, status, createdAt, hasPassword, clients, wallets, senders } = account
  const text = lines([
    ['account ID', accountId],
    ['name', name],
    ['e-mail', email],
    ['status', status],
    ['since', createdAt],
    ['signs in', hasPassword ? 'with a password' : 'not: it has no password'],
    ...clients.map(({ clientId }) => ['client ID', clientId] as const),
    ...wallets.map(
      ({ walletId, balance, held, currency }) =>
        ['wallet', `${walletId}: ${balance} ${currency} to spend, ${held} held`] as const,
    ),
    ...senders.map(({ senderId, status }) => ['sender ID', `${senderId}: ${status}`] as const),
  ])
  output(flags, account, text)
}
