import { formatAmount, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import type { WhichUncertain } from '../../../delivery/index.ts'
import type { EpochMs } from '../../../domain/ids.ts'
import type { Since } from '../../../domain/since.ts'
import { since, wholeNumber } from '../../arguments.ts'
import { withDatabase } from '../../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../../terminal.ts'
import { type StoreFlags, withParts } from '../store.ts'

/** Which uncertain messages a command is about. */
export interface WhichFlags {
  carrier?: string
  since?: Since
  before?: Since
}

interface UncertainFlags extends StoreFlags, OutputFlags, WhichFlags {
  limit: number
}

export function messagesUncertainCommand(): Command {
  return withWhich(withJson(withDatabase(new Command('uncertain'))))
    .description('List messages that were submitted and never answered, oldest first.')
    .option('--limit <number>', 'how many to list', wholeNumber, 100)
    .addHelpText('after', HELP)
    .action(listUncertain)
}

const HELP = `
Such a message is not submitted again, because it could arrive twice. It leaves
the list by a late answer, by a receipt that names its ticket (over HTTP), at
the end of its validity, or by wigwag messages settle, once the carrier has been
asked about it.`

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
  const { total, messages } = await withParts(flags, ({ carriers, clock }) =>
    carriers.uncertain(flags.limit, whichOf(flags, clock.now())),
  )
  const iso = (at: number) => new Date(at).toISOString()
  const shown = messages.map(({ price, handedAt, createdAt, expiresAt, ...message }) => ({
    ...message,
    held: toDecimal(price),
    createdAt: iso(createdAt),
    submittedAt: iso(handedAt),
    expiresAt: iso(expiresAt),
  }))
  const cells = messages.map(
    ({ ticket, carrier, accountId, sender, recipient, handedAt, price, currency, expiresAt }) => [
      ...[ticket, carrier, accountId, sender, recipient, iso(handedAt).slice(0, 19)],
      ...[`${formatAmount(price)} ${currency}`, iso(expiresAt).slice(0, 19)],
    ],
  )
  const headings = ['TICKET', 'CARRIER', 'ACCOUNT', 'SENDER', 'RECIPIENT', 'SUBMITTED', 'HELD', 'EXPIRES']
  output(flags, { total, messages: shown }, cells.length > 0 ? table(headings, cells) : '')
  if (total === 0) say('No message is uncertain.')
  else if (total > shown.length) say(`${shown.length} of ${total}; --limit lists more.`)
}
