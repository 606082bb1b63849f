import { formatAmount, type Micros, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { amountAboveZero } from '../../arguments.ts'
import { Failed, type OutputFlags, output, say, withJson } from '../../terminal.ts'
import { type StoreFlags, withAudit, withParts } from '../store.ts'

interface WarnFlags extends StoreFlags, OutputFlags {
  below?: Micros
  never?: true
}

export function walletWarnCommand(): Command {
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
