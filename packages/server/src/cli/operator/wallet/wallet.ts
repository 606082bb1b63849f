import { formatAmount, type Micros, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { available } from '../../../domain/money/ledger.ts'
import { type Booked, type Booking, MOST_IN_WALLET } from '../../../money/index.ts'
import { amountAboveZero, reference } from '../../arguments.ts'
import { Failed, lines, type OutputFlags, output, say, withJson } from '../../terminal.ts'
import { type StoreFlags, withParts, withReason } from '../store.ts'
import { walletStatementCommand } from './statement.ts'
import { walletWarnCommand } from './warn.ts'

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
