import { formatAmount, toDecimal } from '@wigwag/contract'
import { Argument, Command } from 'commander'
import type { Decided } from '../../delivery/index.ts'
import { failureReasonOf } from '../../domain/failure-reasons.ts'
import { wholeNumber } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { Failed, lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { messagesStuckCommand } from './messages-stuck.ts'
import { type StoreFlags, withOffice, withReason } from './office.ts'

export function messagesCommand(): Command {
  const uncertain = withJson(withDatabase(new Command('uncertain')))
    .description('List messages that were submitted and never answered, oldest first.')
    .option('--limit <number>', 'how many to list', wholeNumber, 100)
    .addHelpText('after', UNCERTAIN_HELP)
    .action(listUncertain)
  const settle = withJson(withReason(new Command('settle')))
    .description('Decide how such a message ended.')
    .argument('<ticket>', 'its Ticket')
    .addArgument(
      new Argument('<status>', 'success charges the held price, failed gives it back').choices([
        'success',
        'failed',
      ]),
    )
    .action(settleOne)
  const why = withJson(withDatabase(new Command('why')))
    .description('Show how a message ended, and what its carrier said, which its customer is not told.')
    .argument('<ticket>', 'its Ticket')
    .action(showWhy)
  return new Command('messages')
    .description('Messages that wait, that no carrier answered, or that failed.')
    .addCommand(messagesStuckCommand())
    .addCommand(uncertain)
    .addCommand(settle)
    .addCommand(why)
}

const UNCERTAIN_HELP = `
Such a message is not submitted again, because it could arrive twice. It leaves
the list by a late answer, by a receipt that names its ticket (over HTTP), at
the end of its validity, or by wigwag messages settle, once the carrier has been
asked about it.`

async function listUncertain(flags: StoreFlags & OutputFlags & { limit: number }): Promise<void> {
  const { total, messages } = await withOffice(flags, ({ carriers }) => carriers.uncertain(flags.limit))
  const shown = messages.map(({ createdAt, expiresAt, ...message }) => ({
    ...message,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  }))
  const cells = shown.map(({ ticket, carrier, accountId, recipient, createdAt, expiresAt }) => [
    ...[ticket, carrier, accountId, recipient, createdAt.slice(0, 19), expiresAt.slice(0, 19)],
  ])
  const headings = ['TICKET', 'CARRIER', 'ACCOUNT', 'RECIPIENT', 'ACCEPTED', 'EXPIRES']
  output(flags, { total, messages: shown }, cells.length > 0 ? table(headings, cells) : '')
  if (total === 0) say('No message is uncertain.')
  else if (total > shown.length) say(`${shown.length} of ${total}; --limit lists more.`)
}

async function settleOne(
  given: string,
  status: 'success' | 'failed',
  flags: StoreFlags & OutputFlags,
): Promise<void> {
  // Tickets are stored in lower case.
  const ticket = given.toLowerCase()
  const decided = await withOffice(flags, ({ carriers }) => carriers.settle(ticket, status))
  const { settled, message } = decided
  if (!settled || !message) throw new Failed(`${ticket} ${standing(decided)}; nothing was changed`)
  const { price, currency } = message
  const money = `${formatAmount(price)} ${currency}`
  output(
    flags,
    { ticket, status, price: toDecimal(price), currency, charged: status === 'success' },
    lines([
      ['ticket', ticket],
      ['status', status],
      [status === 'success' ? 'charged' : 'given back', money],
    ]),
  )
}

async function showWhy(given: string, flags: StoreFlags & OutputFlags): Promise<void> {
  const ticket = given.toLowerCase()
  const message = await withOffice(flags, ({ carriers }) => carriers.standing(ticket))
  if (!message) throw new Failed(`${ticket} is no ticket of this gateway`)
  const { status, accountId, failureReason: said } = message
  const customer = failureReasonOf(message)
  output(
    flags,
    { ticket, status, accountId, customer: customer ?? null, said },
    lines([
      ['ticket', ticket],
      ['account', accountId],
      ['status', status],
      ['its customer reads', customer ?? '(nothing)'],
      ['stored', said ?? '(nothing)'],
    ]),
  )
}

/** What a message is that is not uncertain. */
function standing({ message }: Decided): string {
  if (!message) return 'is no ticket of this gateway'
  const { status, kind, carrier, isHeld } = message
  if (status === 'scheduled') return 'is scheduled and was not submitted yet'
  if (status !== 'pending') return `is final: ${status}`
  if (kind === 'dispatch' && !isHeld) return `waits to be submitted to ${carrier || 'a carrier'}`
  if (isHeld) return `is under way to ${carrier || 'a carrier'}: try again in a minute`
  return `was taken by ${carrier || 'its carrier'} and waits for its receipt`
}
