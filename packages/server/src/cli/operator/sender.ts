import { Command } from 'commander'
import { listSenders, requireAccount } from '../../accounts/index.ts'
import { reason, senderId } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

type Flags = StoreFlags & OutputFlags

interface ListFlags extends Flags {
  pending?: true
}

export function senderCommand(): Command {
  const list = withJson(withDatabase(new Command('list')))
    .description('List the sender IDs of an account, or of all accounts.')
    .argument('[account]', 'its ID or e-mail')
    .option('--pending', 'only those that wait for a decision')
    .action(listAll)
  return new Command('sender')
    .description('The sender IDs that accounts may send from.')
    .addCommand(decide('approve', 'approved', 'Allow an account to send from a sender ID.'))
    .addCommand(
      decide('reject', 'rejected', 'Forbid an account to send from a sender ID.').option(
        '--reason <text>',
        'why, which the customer sees',
        reason,
      ),
    )
    .addCommand(list)
}

function decide(name: string, status: 'approved' | 'rejected', description: string): Command {
  return withJson(withAudit(new Command(name)))
    .description(description)
    .argument('<account>', 'its ID or e-mail')
    .argument('<sender>', 'the sender ID', senderId)
    .action(async (idOrEmail: string, sender: string, flags: Flags) => {
      await withParts(flags, ({ operator }) => operator.setSender(idOrEmail, sender, status, flags))
      output(flags, { senderId: sender, status }, '')
      say(`${sender} is ${status} for ${idOrEmail}.`)
    })
}

async function listAll(idOrEmail: string | undefined, flags: ListFlags): Promise<void> {
  const rows = await withParts(flags, ({ database }) =>
    database.read(async (tx) => {
      const accountId = idOrEmail === undefined ? undefined : (await requireAccount(tx, idOrEmail)).id
      return listSenders(tx, { accountId, status: flags.pending && 'pending' })
    }),
  )
  const senders = rows.map(({ accountId, email, sender, status, reason, createdAt }) => ({
    senderId: sender,
    status,
    ...(reason !== null && { reason }),
    createdAt: new Date(createdAt).toISOString(),
    accountId,
    email,
  }))
  const cells = senders.map(({ senderId, status, createdAt, email }) => [
    senderId,
    status,
    createdAt.slice(0, 10),
    email,
  ])
  output(flags, senders, cells.length > 0 ? table(['SENDER', 'STATUS', 'SINCE', 'ACCOUNT'], cells) : '')
  if (senders.length === 0)
    say(flags.pending ? 'No sender ID waits for a decision.' : 'There are no sender IDs.')
}
