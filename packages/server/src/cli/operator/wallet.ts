import { formatAmount, type Micros, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { requireAccount } from '../../accounts/index.ts'
import { epochMs } from '../../kernel/ids.ts'
import { available } from '../../kernel/money/ledger.ts'
import { DAY_MS, type Since } from '../../kernel/time/spans.ts'
import {
  type Booked,
  type Booking,
  MOST_IN_WALLET,
  type Statement,
  statementOf,
  walletsOf,
} from '../../money/index.ts'
import { amountAboveZero, reference, since, wholeNumber } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { Failed, lines, type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts, withReason } from './store.ts'

interface BookFlags extends StoreFlags, OutputFlags {
  amount: Micros
  reference?: string
}

export function walletCommand(): Command {
  return new Command('wallet')
    .description('The wallets of accounts.')
    .addCommand(bookCommand('credit', 'Add money to the wallet of an account.'))
    .addCommand(bookCommand('debit', 'Take money off the wallet of an account, but nothing that is held.'))
    .addCommand(walletStatementCommand())
    .addCommand(walletWarnCommand())
}

function bookCommand(kind: Booking['kind'], description: string): Command {
  return withJson(withReason(new Command(kind)))
    .description(description)
    .argument('<account>', 'its ID or e-mail')
    .requiredOption('--amount <amount>', 'the amount, in the currency of the wallet', amountAboveZero)
    .option(
      '--reference <text>',
      'such as the number of a payment: repeated with it, nothing happens',
      reference,
    )
    .action((idOrEmail: string, flags: BookFlags) => book(kind, idOrEmail, flags))
}

async function book(kind: Booking['kind'], idOrEmail: string, flags: BookFlags): Promise<void> {
  const booked = await withParts(flags, ({ operator }) =>
    operator[kind](idOrEmail, flags.amount, flags.reference),
  ).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error
    throw new Failed(`a wallet can hold at most ${MOST_IN_WALLET}; nothing was changed`)
  })
  const { currency, wallet } = booked
  refuseUnlessBooked(booked, flags)
  const balance = toDecimal(available(wallet))
  const repeated = booked.result === 'repeated'
  output(flags, { balance, currency, repeated }, lines([['balance', `${balance} ${currency}`]]))
  if (booked.result === 'repeated') {
    say(`${flags.reference} was booked at ${new Date(booked.at).toISOString()} already. Nothing was changed.`)
  }
}

function refuseUnlessBooked(booked: Booked & { currency: string }, { amount, reference }: BookFlags): void {
  const { currency, wallet } = booked
  const inWords = (micros: Micros) => `${formatAmount(micros)} ${currency}`
  if (booked.result === 'short') {
    const held = wallet.held > 0 ? `, because ${inWords(wallet.held)} are held for messages under way` : ''
    throw new Failed(
      `expected an amount of at most ${inWords(available(wallet))}${held}; got ${inWords(amount)}; nothing was changed`,
    )
  }
  if (booked.result === 'other') {
    const { earlier, at } = booked
    throw new Failed(
      `${reference} is the reference of a ${earlier.kind} of ${inWords(earlier.amount)} at ` +
        `${new Date(at).toISOString()}; nothing was changed: use another reference`,
    )
  }
}

interface WarnFlags extends StoreFlags, OutputFlags {
  below?: Micros
  never?: true
}

function walletWarnCommand(): Command {
  return withJson(withAudit(new Command('warn')))
    .description('Say when the wallet of an account runs low, for metrics, the console and your webhook.')
    .argument('<account>', 'its ID or e-mail')
    .option('--below <amount>', 'warn when less can be spent, in the currency of the wallet', amountAboveZero)
    .option('--never', 'warn no more')
    .action(warn)
}

async function warn(idOrEmail: string, flags: WarnFlags): Promise<void> {
  const { below } = flags
  if ((below === undefined) === (flags.never === undefined))
    throw new Failed('expected --below with an amount, or --never', 2)
  const { walletId, currency, available } = await withParts(flags, ({ operator }) =>
    operator.warn(idOrEmail, below),
  )
  const balance = toDecimal(available)
  const low = below !== undefined && available < below
  output(
    flags,
    { walletId, currency, balance, warnBelow: below === undefined ? null : toDecimal(below), low },
    '',
  )
  if (below === undefined) return say('It is not watched any more.')
  const has = `It has ${formatAmount(available)} ${currency}`
  say(`${has}, and counts as low below ${formatAmount(below)} ${currency}${low ? ': it is low now' : ''}.`)
}

interface StatementFlags extends StoreFlags, OutputFlags {
  since?: Since
  limit: number
}

export function walletStatementCommand(): Command {
  return withJson(withDatabase(new Command('statement')))
    .description('Show what was added to a wallet and taken off it, newest first.')
    .argument('<account>', 'its ID or e-mail')
    .option('--since <time>', 'from then on: 6h, 2d, a day or a time in UTC (default: 30d)', since)
    .option('--limit <number>', 'how many entries to list', wholeNumber, 100)
    .action(showStatement)
}

const MONTH_MS = 30 * DAY_MS

async function showStatement(idOrEmail: string, flags: StatementFlags): Promise<void> {
  const { statement, from, currency } = await withParts(flags, ({ database, clock }) =>
    database.read(async (tx) => {
      const { id } = await requireAccount(tx, idOrEmail)
      const [wallet] = await walletsOf(tx, id)
      if (!wallet) throw new Failed(`account ${id} has no wallet`)
      const now = clock.now()
      const from = flags.since?.(now) ?? epochMs(Math.max(0, now - MONTH_MS))
      const statement = await statementOf(tx, wallet, { since: from, limit: flags.limit })
      return { statement, from, currency: wallet.currency }
    }),
  )
  const { opening, closing, totals } = statement
  const entries = statement.lines.map(
    ({ seq, createdAt, kind, amount, balanceAfter, messageId, reference }) => ({
      seq,
      at: new Date(createdAt).toISOString(),
      kind,
      amount: toDecimal(amount),
      balanceAfter: toDecimal(balanceAfter),
      ticket: messageId,
      reference: reference ?? null,
    }),
  )
  const since = new Date(from).toISOString()
  output(
    flags,
    {
      since,
      currency,
      opening: toDecimal(opening),
      closing: toDecimal(closing),
      totals: Object.fromEntries(
        Object.entries(totals).map(([kind, { entries, amount }]) => [
          kind,
          { entries, amount: toDecimal(amount) },
        ]),
      ),
      entries,
    },
    asText(statement, { since, currency }),
  )
  const all = totals.credit.entries + totals.debit.entries + totals.charge.entries
  if (all > entries.length) say(`The newest ${entries.length} of ${all} entries; --limit lists more.`)
}

function asText(
  { opening, closing, totals, lines: found }: Statement,
  about: { since: string; currency: string },
) {
  const cells = found.map(({ createdAt, kind, amount, balanceAfter, messageId, reference }) => [
    new Date(createdAt).toISOString().slice(0, 19),
    kind,
    `${kind === 'credit' ? '' : '-'}${formatAmount(amount)}`,
    formatAmount(balanceAfter),
    reference ?? messageId ?? '',
  ])
  const inWords = (amount: Micros) => `${formatAmount(amount)} ${about.currency}`
  const sums = lines([
    [`posted balance at ${about.since.slice(0, 19)}Z`, inWords(opening)],
    [`credits (${totals.credit.entries})`, inWords(totals.credit.amount)],
    [`debits (${totals.debit.entries})`, inWords(totals.debit.amount)],
    [`charges (${totals.charge.entries})`, inWords(totals.charge.amount)],
    ['posted balance now', inWords(closing)],
  ])
  if (cells.length === 0) return sums
  return `${table(['TIME', 'KIND', 'AMOUNT', 'POSTED BALANCE', 'REFERENCE OR TICKET'], cells)}\n\n${sums}`
}
