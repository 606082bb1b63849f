import { type Micros, microsOfSum, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { type Decided, readCarrierList, type SettledAs } from '../../../delivery/index.ts'
import type { OperatorParts } from '../../../gateway/operator-parts.ts'
import type { Status } from '../../../kernel/message.ts'
import { money } from '../../../kernel/money/shown.ts'
import { carrierReference } from '../../arguments.ts'
import { requireCarrier } from '../../carriers/carrier-list.ts'
import { readCsvFile, refuseMistakes } from '../../messages/csv-file.ts'
import {
  canAsk,
  counted,
  Failed,
  lines,
  type OutputFlags,
  output,
  say,
  saysYes,
  startProgress,
  withJson,
} from '../../terminal.ts'
import { type StoreFlags, withParts, withReason } from '../store.ts'
import { type WhichFlags, whichOf, withWhich } from './uncertain.ts'

export function messagesSettleCommand(): Command {
  return withWhich(withJson(withReason(new Command('settle'))))
    .description('Decide how uncertain messages ended: one, those that match, or those of a file.')
    .argument('[ticket]', 'the Ticket of one message')
    .argument('[status]', 'success charges the held price, failed releases it')
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
  const amount = money(price, currency)
  output(
    flags,
    { ticket, status, price: toDecimal(price), currency, charged: isCharged },
    lines([
      ['ticket', ticket],
      ['status', status],
      [isCharged ? 'charged' : 'released', amount],
    ]),
  )
}

/** The state of a message that is not uncertain, as the words after its ticket. */
function standing({ message }: Decided): string {
  if (!message) return 'is no ticket of this gateway'
  const { status, kind, carrier, isHeld } = message
  if (status === 'scheduled') return 'is scheduled and was not submitted yet'
  if (status !== 'pending') return `is final: ${status}`
  if (kind === 'dispatch' && !isHeld) return `waits to be submitted to ${carrier || 'a carrier'}`
  if (isHeld) return `is under way to ${carrier || 'a carrier'}: try again in a minute`
  return `was taken by ${carrier || 'its carrier'} and waits for its receipt`
}

interface SettleFlags extends StoreFlags, OutputFlags, WhichFlags {
  file?: string
  receipt?: string
  yes?: true
}

/** Messages about to be settled with the same status. */
interface Part {
  status: SettledAs
  messages: number
  /** The held prices, by currency. */
  money: ReadonlyMap<string, number>
}

/** Settles the uncertain messages that match, in the same way. */
async function settleMatching(status: SettledAs, flags: SettleFlags): Promise<void> {
  await withParts(flags, async (operator, config) => {
    const { carriers, clock } = operator
    await requireCarrier(operator, config, flags.carrier)
    const now = clock.now()
    // Not those that become uncertain while the person is asked.
    const which = { ...whichOf(flags, now) }
    which.before ??= now
    const sums = await carriers.uncertainSums(which)
    const messages = sums.reduce((total, sum) => total + sum.messages, 0)
    const part = { status, messages, money: moneyOf(sums.map((sum) => [sum.currency, sum.held])) }
    const names = sums.map(({ carrier }) => carrier)
    await settleParts(flags, [part], { carriers: names }, (onDone) =>
      carriers.settleAll(which, status, onDone),
    )
  })
}

/** Settles the uncertain messages that a carrier's list names, as it says. */
async function settleFile(file: string, flags: SettleFlags): Promise<void> {
  const { messages, mistakes } = await readCsvFile(file, readCarrierList)
  refuseMistakes(file, mistakes)
  await withParts(flags, async (parts, config) => {
    const { carriers } = parts
    await requireCarrier(parts, config, flags.carrier)
    const { decisions, mistakes, others, unknown } = await carriers.listed(messages, flags.carrier)
    refuseMistakes(file, mistakes)
    const shares = (['success', 'failed'] as const).flatMap((status) => {
      const of = decisions.filter((one) => one.status === status)
      const money = moneyOf(of.map(({ message }) => [message.currency, message.price]))
      return of.length === 0 ? [] : [{ status, messages: of.length, money }]
    })
    if (others > 0)
      say(
        `${counted(others, 'row is', 'rows are')} of messages that are not uncertain, and ${others === 1 ? 'is' : 'are'} left.`,
      )
    if (unknown.length > 0)
      say(`${counted(unknown.length, 'row names', 'rows name')} no message: ${listed(unknown)}`)
    const names = decisions.map(({ message }) => message.carrier)
    await settleParts(flags, shares, { carriers: names, others, unknown }, (onDone) =>
      carriers.settleEach(
        decisions.map(({ message: { ticket }, status, carrierRef }) => ({ ticket, status, carrierRef })),
        onDone,
      ),
    )
  })
}

interface About {
  carriers: readonly string[]
  /** Rows of a file about which nothing is to be decided. */
  others?: number
  unknown?: readonly string[]
}

/** Says what is about to happen, asks, and does it. */
async function settleParts(
  flags: SettleFlags,
  parts: readonly Part[],
  { carriers, ...more }: About,
  work: (onDone: () => void) => ReturnType<OperatorParts['carriers']['settleEach']>,
): Promise<void> {
  const total = parts.reduce((sum, { messages }) => sum + messages, 0)
  if (total === 0) {
    output(flags, { settled: 0, left: 0, parts: [], ...more }, '')
    return say('No uncertain message matches, so nothing was changed.')
  }
  const names = [...new Set(carriers)].join(', ')
  const plan = `${parts.map(inWords).join('; ')} (${names})`
  await agree(flags, plan)
  const progress = startProgress(total, 'messages')
  let done = 0
  const { settled, left } = await work(() => progress.update(++done)).finally(progress.stop)
  const shown = parts.map(({ status, messages, money }) => ({
    status,
    messages,
    held: Object.fromEntries([...money].map(([currency, held]) => [currency, toDecimal(microsOfSum(held))])),
  }))
  output(
    flags,
    { settled, left, parts: shown, ...more },
    lines([
      ['settled', settled],
      ['left', left],
    ]),
  )
  if (left > 0) say(`${counted(left, 'message was', 'messages were')} not uncertain any more.`)
}

async function agree({ yes }: SettleFlags, plan: string): Promise<void> {
  say(`This settles ${plan}.`)
  if (yes) return
  if (!canAsk()) throw new Failed('add --yes to settle them; nothing was changed', 2)
  if (!(await saysYes('It can’t be undone. Settle them?'))) throw new Failed('nothing was changed')
}

function inWords({ status, messages, money: sums }: Part): string {
  const amounts = [...sums].map(([currency, held]) => money(microsOfSum(held), currency)).join(' + ')
  const charges = status === 'success' ? 'charges' : 'releases'
  return `${counted(messages, 'message')} as ${status}, which ${charges} ${amounts}`
}

function moneyOf(amounts: readonly (readonly [currency: string, held: Micros])[]): Map<string, number> {
  const money = new Map<string, number>()
  for (const [currency, held] of amounts) money.set(currency, (money.get(currency) ?? 0) + held)
  return money
}

const MOST_LISTED = 10

function listed(names: readonly string[]): string {
  const more = names.length - MOST_LISTED
  const first = names.slice(0, MOST_LISTED).join(', ')
  return more > 0 ? `${first} and ${more} more, which --json lists` : first
}
