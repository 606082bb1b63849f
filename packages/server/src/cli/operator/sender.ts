import { Command } from 'commander'
import { sendersOf } from '../../accounts/index.ts'
import { senderId } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { requireAccount } from './account.ts'
import { type StoreFlags, withOffice } from './office.ts'

type Flags = StoreFlags & OutputFlags

export function senderCommand(): Command {
  const list = withJson(withDatabase(new Command('list')))
    .description('List the sender IDs of an account.')
    .argument('<account>', 'its ID or e-mail')
    .action(listSenders)
  return new Command('sender')
    .description('The sender IDs that accounts may send from.')
    .addCommand(decide('approve', 'approved', 'Allow an account to send from a sender ID.'))
    .addCommand(decide('reject', 'rejected', 'Forbid an account to send from a sender ID.'))
    .addCommand(list)
}

function decide(name: string, status: 'approved' | 'rejected', description: string): Command {
  return withJson(withDatabase(new Command(name)))
    .description(description)
    .argument('<account>', 'its ID or e-mail')
    .argument('<sender>', 'the sender ID', senderId)
    .action(async (idOrEmail: string, sender: string, flags: Flags) => {
      await withOffice(flags, ({ operator }) => operator.setSender(idOrEmail, sender, status))
      output(flags, { senderId: sender, status }, '')
      say(`${sender} is ${status} for ${idOrEmail}.`)
    })
}

async function listSenders(idOrEmail: string, flags: Flags): Promise<void> {
  const rows = await withOffice(flags, ({ database }) =>
    database.read(async (tx) => {
      const { id } = await requireAccount(tx, idOrEmail)
      return sendersOf(tx, id)
    }),
  )
  const senders = rows.map(({ sender, status, createdAt }) => ({
    senderId: sender,
    status,
    createdAt: new Date(createdAt).toISOString(),
  }))
  const cells = senders.map(({ senderId, status, createdAt }) => [senderId, status, createdAt.slice(0, 10)])
  output(flags, senders, table(['SENDER', 'STATUS', 'SINCE'], cells))
}
