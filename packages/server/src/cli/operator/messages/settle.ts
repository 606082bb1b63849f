import { formatAmount, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import type { Decided, SettledAs } from '../../../delivery/index.ts'
import type { Status } from '../../../domain/message.ts'
import { carrierReference } from '../../arguments.ts'
import { Failed, lines, output, withJson } from '../../terminal.ts'
import { withParts, withReason } from '../store.ts'
import { type SettleFlags, settleFile, settleMatching } from './settle-many.ts'
import { withWhich } from './uncertain.ts'

export function messagesSettleCommand(): Command {
  return withWhich(withJson(withReason(new Command('settle'))))
    .description('Decide how uncertain messages ended: one, those that match, or those of a file.')
    .argument('[ticket]', 'the Ticket of one message')
    .argument('[status]', 'success charges the held price, failed gives it back')
    .option(
      '--file <csv>',
      "the carrier's list, with the columns reference,status or to,time,status; - for standard input",
    )
    .option(
      '--receipt <reference>',
      'as a receipt says that may be of the message: wigwag messages uncertain has them',
      carrierReference,
    )
    .option('--yes', 'settle several without asking')
    .addHelpText('after', HELP)
    .action(settle)
}

const HELP = `
One message:        wigwag messages settle TICKET success
By a receipt:       wigwag messages settle TICKET --receipt 01F00000004
Those that match:   wigwag messages settle failed --carrier north --before 6h
Those of a file:    wigwag messages settle --file north.csv --carrier north

A reference in a file is our ticket, or the carrier's own where it is known. A
row without one names the number, and the time in UTC at which the carrier took
the message, to within two minutes; message_id may say what it calls it. A
status is success or delivered, or failed, undelivered, rejected or expired, in
SMPP's short forms too. Several are settled one after another, each at most
once: what was cut off goes on when it is run again. It can't be undone.`

async function settle(
  first: string | undefined,
  second: string | undefined,
  flags: SettleFlags,
): Promise<void> {
  const { file, receipt, carrier, since, before } = flags
  const hasWhich = carrier !== undefined || since !== undefined || before !== undefined
  if (file !== undefined) {
    if (first !== undefined || since !== undefined || before !== undefined)
      throw wrong(
        '--file names the messages and their statuses: leave out the ticket, the status, --since and --before',
      )
    if (receipt !== undefined)
      throw wrong('--file has many messages, and a receipt is of one: leave out --receipt')
    return settleFile(file, flags)
  }
  if (receipt !== undefined) {
    if (first === undefined || second !== undefined || hasWhich)
      throw wrong('--receipt needs a ticket, and says the status: leave out the rest')
    return settleBy(first, receipt, flags)
  }
  if (first !== undefined && second !== undefined) {
    if (hasWhich) throw wrong('a ticket names one message: leave out --carrier, --since and --before')
    return settleOne(first, statusOf(second), flags)
  }
  if (first === undefined || !hasWhich)
    throw wrong('expected a ticket and a status, or a status with --carrier, --since or --before, or --file')
  return settleMatching(statusOf(first), flags)
}

function wrong(message: string): Failed {
  return new Failed(`${message}; wigwag messages settle --help has an example of each`, 2)
}

function statusOf(text: string): SettledAs {
  if (text === 'success' || text === 'failed') return text
  throw new Failed(`status: expected one of success, failed; got ${JSON.stringify(text)}`, 2)
}

async function settleOne(given: string, status: SettledAs, flags: SettleFlags): Promise<void> {
  // Tickets are stored in lower case.
  const ticket = given.toLowerCase()
  const decided = await withParts(flags, ({ carriers }) => carriers.settle(ticket, status))
  const { settled, message } = decided
  if (!settled || !message) throw new Failed(`${ticket} ${standing(decided)}; nothing was changed`)
  sayDecided(ticket, status, message, flags)
}

async function settleBy(given: string, receipt: string, flags: SettleFlags): Promise<void> {
  const ticket = given.toLowerCase()
  const decided = await withParts(flags, ({ carriers }) => carriers.settleBy(ticket, receipt))
  const { settled, message } = decided
  if (settled && message) return sayDecided(ticket, message.status, message, flags)
  const why = message?.isUncertain
    ? `has no receipt ${JSON.stringify(receipt)} of its carrier and number beside it`
    : standing(decided)
  throw new Failed(`${ticket} ${why}; nothing was changed`)
}

function sayDecided(
  ticket: string,
  status: Status,
  message: NonNullable<Decided['message']>,
  flags: SettleFlags,
): void {
  const { price, currency } = message
  const isCharged = status === 'success'
  const money = `${formatAmount(price)} ${currency}`
  output(
    flags,
    { ticket, status, price: toDecimal(price), currency, charged: isCharged },
    lines([
      ['ticket', ticket],
      ['status', status],
      [isCharged ? 'charged' : 'given back', money],
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
