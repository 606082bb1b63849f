import { toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import {
  UNCERTAIN_COLUMNS,
  type UncertainMessage,
  uncertainCells,
  type WhichUncertain,
} from '../../../delivery/index.ts'
import type { EpochMs } from '../../../kernel/ids.ts'
import { money } from '../../../kernel/money/shown.ts'
import { csvLine } from '../../../kernel/text/csv.ts'
import type { Since } from '../../../kernel/time/spans.ts'
import { since, wholeNumber } from '../../arguments.ts'
import { requireCarrier } from '../../carriers/carrier-list.ts'
import { withDatabase } from '../../settings.ts'
import { counted, type OutputFlags, output, printFile, say, table, withJson } from '../../terminal.ts'
import { type StoreFlags, withParts } from '../store.ts'

/** Which uncertain messages a command is about. */
export interface WhichFlags {
  carrier?: string
  since?: Since
  before?: Since
}

interface UncertainFlags extends StoreFlags, OutputFlags, WhichFlags {
  limit: number
  csv?: true
}

export function messagesUncertainCommand(): Command {
  return withWhich(withJson(withDatabase(new Command('uncertain'))))
    .description('List messages that were submitted and never answered, oldest first.')
    .option('--limit <number>', 'how many to list', wholeNumber, 100)
    .option('--csv', 'all of them, as a list for the carrier')
    .addHelpText('after', HELP)
    .action(listUncertain)
}

const HELP = `
Such a message is not submitted again, because it could arrive twice. It leaves
the list by a late answer, by a receipt that names its ticket (over HTTP), by
the only receipt to its number (over SMPP), at the end of its validity, or by
wigwag messages settle, once the carrier has been asked about it. RECEIPTS are
those that may be of it: of the same carrier and number, and after it was
submitted.

With --csv the list has reference (our ticket), to, from and time: with a column
status, and perhaps message_id, wigwag messages settle --file takes it back.`

export function withWhich(command: Command): Command {
  return command
    .option('--carrier <name>', 'only those of this carrier')
    .option('--since <time>', 'only those submitted since: 6h, 2d, a day or a time in UTC', since)
    .option('--before <time>', 'only those submitted before', since)
}

export function whichOf({ carrier, since, before }: WhichFlags, now: EpochMs): WhichUncertain {
  return { carrier, since: since?.(now), before: before?.(now) }
}

async function listUncertain(flags: UncertainFlags): Promise<void> {
  if (flags.csv) return writeList(flags)
  const { total, messages, receipts } = await withParts(flags, async (parts, config) => {
    const { carriers, clock } = parts
    await requireCarrier(parts, config, flags.carrier)
    const found = await carriers.uncertain(flags.limit, whichOf(flags, clock.now()))
    return { ...found, receipts: await carriers.receiptsFor(found.messages) }
  })
  const iso = (at: number) => new Date(at).toISOString()
  const shown = messages.map(({ price, handedAt, createdAt, expiresAt, ...message }) => ({
    ...message,
    held: toDecimal(price),
    createdAt: iso(createdAt),
    submittedAt: iso(handedAt),
    expiresAt: iso(expiresAt),
    receipts: (receipts.get(message.ticket) ?? []).map(({ ref, verdict, at }) => ({
      reference: ref,
      status: verdict,
      at: iso(at),
    })),
  }))
  const cells = messages.map(
    ({ ticket, carrier, accountId, sender, recipient, handedAt, price, currency, expiresAt }) => [
      ticket,
      carrier,
      accountId,
      sender,
      recipient,
      iso(handedAt).slice(0, 19),
      money(price, currency),
      iso(expiresAt).slice(0, 19),
      (receipts.get(ticket) ?? []).map(({ ref, verdict }) => `${ref} ${verdict}`).join(', '),
    ],
  )
  const headings = ['TICKET', 'CARRIER', 'ACCOUNT', 'SENDER', 'RECIPIENT', 'SUBMITTED', 'HELD', 'EXPIRES']
  output(flags, { total, messages: shown }, cells.length > 0 ? table([...headings, 'RECEIPTS'], cells) : '')
  if (total === 0) say('No message is uncertain.')
  else if (total > shown.length) say(`${shown.length} of ${total}; --limit lists more.`)
  if (receipts.size > 0)
    say(
      `${counted(receipts.size, 'message has', 'messages have')} receipts that may be of ${receipts.size === 1 ? 'it' : 'them'}: wigwag messages settle TICKET --receipt REFERENCE takes one.`,
    )
}

const SLICE = 500

async function writeList(flags: UncertainFlags): Promise<void> {
  await withParts(flags, async (parts, config) => {
    const { carriers, clock } = parts
    await requireCarrier(parts, config, flags.carrier)
    const which = whichOf(flags, clock.now())
    printRows([UNCERTAIN_COLUMNS])
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { messages }: Slice = await carriers.uncertain(SLICE, { ...which, after })
      if (messages.length > 0) printRows(messages.map(uncertainCells))
      after = messages.length === SLICE ? messages.at(-1)?.ticket : undefined
    }
  })
}

interface Slice {
  messages: UncertainMessage[]
}

function printRows(rows: readonly (readonly string[])[]): void {
  printFile(rows.map((cells) => csvLine(cells).trimEnd()).join('\n'))
}
