import { toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { importRates, readRates } from '../../money/index.ts'
import { country } from '../arguments.ts'
import { withDatabase } from '../settings.ts'
import { type OutputFlags, output, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withOffice } from './office.ts'
import { readRatesFile } from './rates-file.ts'

type Flags = StoreFlags & OutputFlags

export function ratesCommand(): Command {
  const take = withJson(withDatabase(new Command('import')))
    .description('Replace all prices with those in a CSV file. If any row is wrong, nothing changes.')
    .argument('<file>', 'its first line is country,mcc,mnc,network,price,currency')
    .addHelpText('after', '\nA row without mcc, mnc and network is for the rest of its country.')
    .action(takeFile)
  const list = withJson(withDatabase(new Command('list')))
    .description('List the prices.')
    .option('--country <code>', 'only those of this country', country)
    .action(listRates)
  return new Command('rates')
    .description('The price of a segment, by country and network.')
    .addCommand(take)
    .addCommand(list)
}

async function takeFile(file: string, flags: Flags): Promise<void> {
  const { rates, unused } = await readRatesFile(file)
  await withOffice(flags, ({ database, clock, newId }) => importRates({ database, clock, newId }, rates))
  output(flags, { rates: rates.length }, '')
  for (const { line, why } of unused) say(`${file}:${line}: the price is kept but not used yet: ${why}`)
  say(`${rates.length} rates have replaced the old ones.`)
}

async function listRates(flags: Flags & { country?: string }): Promise<void> {
  const { rates, sample } = await withOffice(flags, ({ database }) => database.read(readRates))
  const found = rates
    .filter((rate) => flags.country === undefined || rate.country === flags.country)
    .map(({ country, mcc = '', mnc = '', network = '', price, currency }) => {
      return { country, mcc, mnc, network, price: toDecimal(price), currency }
    })
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  const cells = found.map((rate) => [
    rate.country,
    rate.mcc,
    rate.mnc,
    rate.network,
    rate.price,
    rate.currency,
  ])
  const text = table(['COUNTRY', 'MCC', 'MNC', 'NETWORK', 'PRICE', 'CURRENCY'], cells)
  output(flags, { sample, rates: found }, text)
  if (sample)
    say('These prices are the built-in sample, for trials only. Import your own with wigwag rates import.')
  if (rates.length === 0) say('There are no prices yet. Import some with wigwag rates import.')
}

function orderOf({
  country,
  currency,
  mcc,
  mnc,
}: Record<'country' | 'currency' | 'mcc' | 'mnc', string>): string {
  return [country, currency, mcc, mnc].join()
}
