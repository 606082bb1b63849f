import { Command } from 'commander'
import { listAccounts, requireAccount } from '../../../accounts/index.ts'
import type { OperatorParts } from '../../../gateway/operator-parts.ts'
import type { FoundMessage, FoundPage, MessageQuery } from '../../../messages/history/index.ts'
import { carrierReference, clientReference, phoneNumber, ticket, wholeNumber } from '../../arguments.ts'
import { Failed, type OutputFlags, output, say, table, withJson } from '../../terminal.ts'
import { type StoreFlags, withAudit, withParts } from '../store.ts'
import { messagesSettleCommand } from './settle.ts'
import { messagesShowCommand } from './show.ts'
import { messagesSetAsideCommand, messagesStuckCommand } from './stuck.ts'
import { messagesUncertainCommand } from './uncertain.ts'

export function messagesCommand(): Command {
  return new Command('messages')
    .description(
      'Messages of all customers: find and follow them, and settle those that no carrier answered.',
    )
    .addCommand(messagesFindCommand())
    .addCommand(messagesShowCommand())
    .addCommand(messagesStuckCommand())
    .addCommand(messagesSetAsideCommand())
    .addCommand(messagesUncertainCommand())
    .addCommand(messagesSettleCommand())
}

interface FindFlags extends StoreFlags, OutputFlags {
  to?: string
  reference?: string
  ticket?: string
  carrierReference?: string
  account?: string
  limit: number
}

function messagesFindCommand(): Command {
  return withJson(withAudit(new Command('find')))
    .description('Find messages by one thing that is known of them, or all of an account, newest first.')
    .option('--to <number>', 'the phone they went to', phoneNumber)
    .option('--reference <text>', 'the reference that the customer gave, in full', clientReference)
    .option('--ticket <ticket>', 'the Ticket', ticket)
    .option('--carrier-reference <text>', 'what its carrier calls it', carrierReference)
    .option('--account <account>', 'only those of this account; its ID or e-mail')
    .option('--limit <number>', 'how many to list', wholeNumber, 20)
    .addHelpText('after', HELP)
    .action(findMessages)
}

const HELP = `
The audit log keeps what was asked. Texts are not shown: wigwag messages show
TICKET --text does that.`

async function findMessages(flags: FindFlags): Promise<void> {
  const asked = askedOf(flags)
  const { found, emails } = await withParts(flags, async (parts) => {
    const { database } = parts
    const accounts = await database.read(listAccounts)
    return {
      found: await newest(parts, asked, flags),
      emails: new Map(accounts.map(({ id, email }) => [id, email])),
    }
  })
  const shown = found.slice(0, flags.limit).map(({ createdAt, accountId, ...message }) => ({
    ...message,
    accountId,
    email: emails.get(accountId) ?? null,
    createdAt: new Date(createdAt).toISOString(),
  }))
  const cells = shown.map(({ createdAt, status, sender, recipient, reference, email, accountId, ticket }) => [
    createdAt.slice(0, 19),
    status,
    sender,
    recipient,
    reference,
    email ?? accountId,
    ticket,
  ])
  const headings = ['ACCEPTED', 'STATUS', 'SENDER', 'RECIPIENT', 'REFERENCE', 'ACCOUNT', 'TICKET']
  output(flags, shown, cells.length > 0 ? table(headings, cells) : '')
  if (found.length === 0) say('There is no such message. Those that were deleted or erased are not found.')
  else if (found.length > flags.limit) say(`The newest ${flags.limit}; --limit lists more.`)
}

function askedOf({ to, reference, ticket, carrierReference, account }: FindFlags): MessageQuery {
  const asked: MessageQuery[] = []
  if (to !== undefined) asked.push({ to })
  if (reference !== undefined) asked.push({ reference })
  if (ticket !== undefined) asked.push({ ticket })
  if (carrierReference !== undefined) asked.push({ carrierReference })
  const [one, another] = asked
  if (one && !another) return one
  if (!one && account !== undefined) return {}
  const got = another ? 'several' : 'none'
  throw new Failed(
    `--to, --reference, --ticket or --carrier-reference: expected exactly one of them, or --account alone; got ${got}`,
    2,
  )
}

/** The newest messages, and one more than are shown if there are more. */
async function newest(
  { messages, database }: OperatorParts,
  asked: MessageQuery,
  { account, limit }: FindFlags,
): Promise<FoundMessage[]> {
  const accountId =
    account === undefined ? undefined : (await database.read((tx) => requireAccount(tx, account))).id
  const found: FoundMessage[] = []
  let after: FoundPage['next']
  do {
    const page = await messages.find(asked, accountId, { limit: limit + 1 - found.length, after })
    found.push(...page.messages)
    after = page.next
  } while (after && found.length <= limit)
  return found
}
