import { Command } from 'commander'
import type { EpochMs } from '../../kernel/ids.ts'
import { csvLine } from '../../kernel/text/csv.ts'
import {
  compareRates,
  countChanges,
  earlierLists,
  earlierRates,
  importRates,
  listRates,
  RATES_COLUMNS,
  type RatesFile,
  rateCells,
  ratesInForce,
  readRates,
  readRatesText,
  restoreRates,
  sinceOf,
} from '../../money/index.ts'
import { country, wholeNumber } from '../arguments.ts'
import { readCsvFile, refuseMistakes } from '../messages/csv-file.ts'
import { withDatabase } from '../settings.ts'
import { Failed, type OutputFlags, output, printFile, printJson, say, table, withJson } from '../terminal.ts'
import { type ChangeFlags, changeLine, changeRates, changesTable, withChange } from './rates-change.ts'
import { type StoreFlags, withParts } from './store.ts'

type Flags = StoreFlags & OutputFlags

export function ratesCommand(): Command {
  const take = withJson(withChange(new Command('import')))
    .description('Replace all prices with those in a CSV file.')
    .argument('<file>', 'its first line is country,mcc,mnc,network,price,currency')
    .addHelpText('after', HELP)
    .action(takeFile)
  const history = withJson(withDatabase(new Command('history')))
    .description('List the price lists that were in force before, newest first.')
    .action(showHistory)
  const restore = withJson(withChange(new Command('restore')))
    .description('Put an earlier price list in force again.')
    .argument('<list>', 'its number, as wigwag rates history shows it', wholeNumber)
    .action(restoreList)
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
    .addCommand(history)
    .addCommand(restore)
}

const HELP = `
A row without mcc, mnc and network is for the rest of its country. If any row is
wrong, nothing changes. It shows what would change, and asks if a price would go
or rise. The list before is kept: wigwag rates history shows the last 50.`

async function takeFile(file: string, flags: ChangeFlags): Promise<void> {
  const { rates, unused } = await readRatesFile(file)
  for (const { line, why } of unused) say(`${file}:${line}: the price is kept but not used yet: ${why}`)
  await changeRates(flags, async (parts) => ({
    rates,
    sample: false,
    asksAlways: false,
    put: (replaced) => importRates(parts, rates, replaced),
  }))
}

async function restoreList(number: number, flags: ChangeFlags): Promise<void> {
  await changeRates(flags, async (parts) => {
    const list = await parts.database.read((tx) => earlierRates(tx, number))
    if (!list)
      throw new Failed(`there is no earlier price list ${number}; wigwag rates history shows them all`)
    return { ...list, asksAlways: true, put: (replaced) => restoreRates(parts, list, replaced) }
  })
}

async function showHistory(flags: Flags): Promise<void> {
  const { lists, inForce } = await withParts(flags, ({ database }) =>
    database.read(async (tx) => ({ lists: await earlierLists(tx), inForce: await ratesInForce(tx) })),
  )
  const earlier = lists.map(({ number, since, replacedAt, replacedBy, prices, sample }) => ({
    list: number,
    since: iso(since),
    until: iso(replacedAt),
    replacedBy,
    prices,
    sample,
  }))
  const cells = earlier.map(({ list, since, until, replacedBy, prices, sample }) => [
    list,
    since?.slice(0, 19) ?? 'not known',
    until?.slice(0, 19) ?? '',
    replacedBy,
    `${prices}${sample ? ' (sample)' : ''}`,
  ])
  const { since, count: prices, sample } = inForce
  output(
    flags,
    { inForce: { since: iso(since), prices, sample }, earlier },
    cells.length > 0 ? table(['LIST', 'IN FORCE SINCE', 'UNTIL', 'REPLACED BY', 'PRICES'], cells) : '',
  )
  if (cells.length === 0) say('No price list was replaced yet.')
}

function iso(at: EpochMs | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString()
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
  const changes = found.map(changeLine)
  output(flags, { ...counts, changes }, found.length > 0 ? changesTable(found, 'IN THE FILE') : '')
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
