import { microsOfSum, toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { type Margin, readCosts } from '../../delivery/index.ts'
import { type EpochMs, epochMs } from '../../kernel/ids.ts'
import { amountOf, money } from '../../kernel/money/shown.ts'
import { day } from '../arguments.ts'
import { type StoreFlags, withParts } from '../operator/store.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../terminal.ts'

interface CostsFlags extends StoreFlags, OutputFlags {
  since?: EpochMs
}

export function carrierCostsCommand(): Command {
  return withJson(withDatabase(new Command('costs')))
    .description('Compare what carriers are owed with what customers were charged.')
    .option('--since <day>', 'from this day on, in UTC (default: the first of this month)', day)
    .addHelpText('after', HELP)
    .action(showCosts)
}

const HELP = `
Carriers are owed for the parts that they took, where the route says what one
costs. Customers are charged for delivered messages. Costs have no currency of
their own, so a margin is shown only where customers paid in one currency.`

async function showCosts(flags: CostsFlags): Promise<void> {
  const { since, costs, currencies, networks } = await withParts(flags, ({ database, clock }) => {
    const since = flags.since ?? firstOfMonth(clock.now())
    return database.read(async (tx) => {
      const read = await readCosts(tx, since)
      const isAbout = ({ owed, charged }: Margin) => owed !== undefined || charged.length > 0
      return { since, ...read, networks: read.networks.filter(isAbout) }
    })
  })
  const margins = networks.flatMap(({ margin }) => margin ?? [])
  const result = {
    since: new Date(since).toISOString().slice(0, 10),
    currencies,
    carriers: costs.map(({ cost, ...one }) => ({ ...one, owed: toDecimal(cost) })),
    networks: networks.map(({ country, network, charged, owed, margin }) => ({
      country,
      network,
      charged: Object.fromEntries(charged.map(({ currency, spend }) => [currency, toDecimal(spend)])),
      owed: owed === undefined ? null : toDecimal(microsOfSum(owed)),
      margin: margin === undefined ? null : toDecimal(microsOfSum(margin)),
    })),
  }
  const owedCells = costs.map(({ carrier, country, network, parts, cost }) => [
    carrier,
    country,
    network,
    parts,
    amountOf(cost),
  ])
  const marginCells = networks.map(({ country, network, charged, owed, margin }) => [
    country,
    network,
    charged.map(({ currency, spend }) => money(spend, currency)).join(' + '),
    shown(owed),
    shown(margin),
  ])
  const text = [
    ...(costs.length > 0 ? [table(['CARRIER', 'COUNTRY', 'NETWORK', 'PARTS', 'OWED'], owedCells)] : []),
    ...(networks.length > 0 ? [table(['COUNTRY', 'NETWORK', 'CHARGED', 'OWED', 'MARGIN'], marginCells)] : []),
  ]
  output(flags, result, text.join('\n\n'))
  if (networks.length === 0) say(`Nothing was charged and no cost is known since ${result.since}.`)
  if (currencies.length > 1)
    say(`Customers paid in ${currencies.join(', ')}, and costs have no currency, so there is no margin.`)
  else if (margins.length > 0) {
    const total = margins.reduce((sum, margin) => sum + margin, 0)
    const [currency] = currencies
    say(
      `The margin is ${currency === undefined ? amountOf(total) : money(total, currency)}, where costs are known and if they are in that currency too.`,
    )
  }
  if (networks.some(({ owed }) => owed === undefined))
    say('Where nothing is owed, no route says what a part costs.')
}

function shown(amount: number | undefined): string {
  return amount === undefined ? '' : amountOf(amount)
}

function firstOfMonth(now: EpochMs): EpochMs {
  const date = new Date(now)
  return epochMs(Date.UTC(date.getUTCFullYear(), date.getUTCMonth()))
}
