import { type Micros, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { unwatchedAccounts } from '../../accounts/index.ts'
import { available } from '../../kernel/money/ledger.ts'
import { money } from '../../kernel/money/shown.ts'
import { type Booked, type Booking, MOST_IN_WALLET } from '../../money/index.ts'
import { amountAboveZero, currency, reference } from '../arguments.ts'
import { counted, Failed, lines, type OutputFlags, output, say, withJson } from '../terminal.ts'
import { walletStatementCommand } from './statement.ts'
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
      'such as the number of a payment, which the customer reads: repeated with it, nothing happens',
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
  output(flags, { balance, currency, repeated }, lines([['balance', money(available(wallet), currency)]]))
  if (booked.result === 'repeated') {
    say(`${flags.reference} was booked at ${new Date(booked.at).toISOString()} already. Nothing was changed.`)
  }
}

function refuseUnlessBooked(booked: Booked & { currency: string }, { amount, reference }: BookFlags): void {
  const { currency, wallet } = booked
  const inWords = (micros: Micros) => money(micros, currency)
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
  all?: true
  currency?: string
}

function walletWarnCommand(): Command {
  return withJson(withAudit(new Command('warn')))
    .description('Say when the wallet of an account runs low, for metrics, the console and your webhook.')
    .argument('[account]', 'its ID or e-mail')
    .option('--below <amount>', 'warn when less can be spent, in the currency of the wallet', amountAboveZero)
    .option('--never', 'warn no more')
    .option('--all', 'all accounts that have no such amount yet')
    .option('--currency <code>', 'with --all: those with wallets in this currency', currency)
    .action((idOrEmail: string | undefined, flags: WarnFlags) => {
      if ((idOrEmail === undefined) === (flags.all === undefined))
        throw new Failed('expected an account, or --all', 2)
      return idOrEmail === undefined ? warnAll(flags) : warn(idOrEmail, flags)
    })
}

/** Can be repeated, for the accounts that came meanwhile. */
async function warnAll({ below, never, currency, ...flags }: WarnFlags): Promise<void> {
  if (below === undefined || never) throw new Failed('--all sets an amount: expected --below with it', 2)
  const watched = await withParts(flags, async ({ database, operator }) => {
    const unwatched = await database.read((tx) => unwatchedAccounts(tx, currency))
    const currencies = new Set(unwatched.map((one) => one.currency))
    if (currencies.size > 1)
      throw new Failed(
        `there are wallets in ${[...currencies].sort().join(', ')}: name one with --currency, as the amount is in it`,
        2,
      )
    for (const { accountId } of unwatched) await operator.warn(accountId, below)
    return unwatched
  })
  const accounts = watched.map(({ accountId }) => accountId)
  output(flags, { warnBelow: toDecimal(below), accounts }, '')
  const [first] = watched
  if (!first) return say('Every such account has an amount already. Nothing was changed.')
  say(
    `${counted(watched.length, 'wallet counts', 'wallets count')} as low below ${money(below, first.currency)}.`,
  )
}

async function warn(idOrEmail: string, flags: WarnFlags): Promise<void> {
  const { below, currency } = flags
  if (currency !== undefined) throw new Failed('--currency is for --all: an account has one wallet', 2)
  if ((below === undefined) === (flags.never === undefined))
    throw new Failed('expected --below with an amount, or --never', 2)
  const { walletId, available, ...wallet } = await withParts(flags, ({ operator }) =>
    operator.warn(idOrEmail, below),
  )
  const balance = toDecimal(available)
  const low = below !== undefined && available < below
  output(
    flags,
    {
      walletId,
      currency: wallet.currency,
      balance,
      warnBelow: below === undefined ? null : toDecimal(below),
      low,
    },
    '',
  )
  if (below === undefined) return say('It is not watched any more.')
  const has = `It has ${money(available, wallet.currency)}`
  say(`${has}, and counts as low below ${money(below, wallet.currency)}${low ? ': it is low now' : ''}.`)
}
