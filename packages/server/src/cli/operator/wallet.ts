import { type Micros, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { available } from '../../domain/ledger.ts'
import { amountAboveZero } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { Failed, lines, type OutputFlags, output, withJson } from '../terminal.ts'
import { type StoreFlags, withOffice } from './office.ts'

/** Above this, a number of micros is not exact. */
const MOST = Math.floor(Number.MAX_SAFE_INTEGER / 1_000_000)

interface CreditFlags extends StoreFlags, OutputFlags {
  amount: Micros
}

export function walletCommand(): Command {
  const credit = withJson(withDatabase(new Command('credit')))
    .description('Add money to the wallet of an account.')
    .argument('<account>', 'its ID or e-mail')
    .requiredOption('--amount <amount>', 'the amount, in the currency of the wallet', amountAboveZero)
    .action(creditWallet)
  return new Command('wallet').description('The wallets of accounts.').addCommand(credit)
}

async function creditWallet(idOrEmail: string, flags: CreditFlags): Promise<void> {
  const wallet = await withOffice(flags, ({ operator }) => operator.credit(idOrEmail, flags.amount)).catch(
    (error: unknown) => {
      if (!(error instanceof RangeError)) throw error
      throw new Failed(`a wallet can hold at most ${MOST}; nothing was changed`)
    },
  )
  const balance = toDecimal(available(wallet))
  output(flags, { balance, currency: wallet.currency }, lines([['balance', `${balance} ${wallet.currency}`]]))
}
