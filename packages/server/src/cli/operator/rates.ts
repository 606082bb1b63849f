import { toDecimal } from '@wigwag/contract'
import { Command } from 'commander'
import { csvLine } from '../../kernel/text/csv.ts'
import {
  compareRates,
  countChanges,
  importRates,
  listRates,
  RATES_COLUMNS,
  type RatesFile,
  rateCells,
  readRates,
  readRatesText,
  sinceOf,
  withoutGaps,
} from '../../money/index.ts'
import { country } from '../arguments.ts'
import { readCsvFile, refuseMistakes } from '../messages/csv-file.ts'
import { withDatabase } from '../settings.ts'
import { counted, type OutputFlags, output, printFile, printJson, say, table, withJson } from '../terminal.ts'
import { type StoreFlags, withAudit, withParts } from './store.ts'

type Flags = StoreFlags & OutputFlags

export function ratesCommand(): Command {
  const take = withJson(withAudit(new Command('import')))
    .description('Replace all prices with those in a CSV file.')
    .argument('<file>', 'its first line is country,mcc,mnc,network,price,currency')
    .addHelpText(
      'after',
      '\nA row without mcc, mnc and network is for the rest of its country. If any row is\nwrong, nothing changes.',
    )
    .action(takeFile)
  const list = withJson(withDatabase(new Command('list')))
    .description('List the prices.')
    .option('--country <code>', 'only those of this country', country)
    .action(showRates)
  const give = withJson(withDatabase(new Command('export')))
    .description('Print all prices as CSV, as wigwag rates import takes them.')
    .action(exportRates)
  const compare = withJson(withDatabase(new Command('diff')))
    .description('Show which prices a CSV file would change, without changing them.')
    .argument('<file>', 'its first line is country,mcc,mnc,network,price,currency')
    .action(compareFile)
  return new Command('rates')
    .description('The price of a segment, by country and network.')
    .addCommand(take)
    .addCommand(list)
    .addCommand(give)
    .addCommand(compare)
}

async function takeFile(file: string, flags: Flags): Promise<void> {
  const { rates, unused } = await readRatesFile(file)
  await withParts(flags, (parts) => importRates(parts, rates))
  output(flags, { rates: rates.length }, '')
  for (const { line, why } of unused) say(`${file}:${line}: the price is kept but not used yet: ${why}`)
  say(`The price list was replaced: it now has ${counted(rates.length, 'price')}.`)
}

async function showRates(flags: Flags & { country?: string }): Promise<void> {
  const { rates, sample, since } = await storedRates(flags)
  const found = rates.filter((rate) => flags.country === undefined || rate.country === flags.country)
  const cells = found.map(rateCells)
  const headings = RATES_COLUMNS.map((column) => column.toUpperCase())
  output(flags, { sample, since, rates: found }, table(headings, cells))
  if (sample)
    say('These prices are the built-in sample, for trials only. Import your own with wigwag rates import.')
  if (rates.length === 0) say('There are no prices yet. Import some with wigwag rates import.')
}

async function exportRates(flags: Flags): Promise<void> {
  const { rates, sample } = await storedRates(flags)
  const rows = [[...RATES_COLUMNS], ...rates.map(rateCells)]
  if (flags.json) printJson({ sample, rates }, 2)
  else printFile(rows.map(csvLine).join('').trimEnd())
}

async function compareFile(file: string, flags: Flags): Promise<void> {
  const next = (await readRatesFile(file)).rates
  const { rates } = await withParts(flags, ({ database }) => database.read(readRates))
  const found = compareRates(rates, next)
  const { added, removed, changed } = countChanges(found)
  const counts = { added, removed, changed }
  const changes = found.map(({ before, after, ...place }) => ({
    ...withoutGaps(place),
    before: before === undefined ? null : toDecimal(before),
    after: after === undefined ? null : toDecimal(after),
  }))
  const cells = changes.map(({ country, mcc, mnc, network, before, after, currency }) => [
    country,
    mcc,
    mnc,
    network,
    before ?? 'none',
    after ?? 'none',
    currency,
  ])
  const headings = ['COUNTRY', 'MCC', 'MNC', 'NETWORK', 'NOW', 'IN THE FILE', 'CURRENCY']
  output(flags, { ...counts, changes }, cells.length > 0 ? table(headings, cells) : '')
  if (changes.length === 0) return say('The file has the same prices.')
  say(
    `The import would add ${counts.added}, remove ${counts.removed} and change ${counts.changed} of the prices.`,
  )
}

/** The stored prices, in order, as a file has them. */
async function storedRates(flags: Flags) {
  const { rates, sample, version } = await withParts(flags, ({ database }) => database.read(readRates))
  const at = sinceOf(version)
  return { sample, rates: listRates(rates), since: at === undefined ? null : new Date(at).toISOString() }
}

/** Reads a whole price list. If any row is wrong, the command fails and lists all wrong rows. */
export async function readRatesFile(file: string): Promise<RatesFile> {
  const read = await readCsvFile(file, readRatesText)
  refuseMistakes(file, read.mistakes)
  return read
}
