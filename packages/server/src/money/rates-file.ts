import { counted, type Micros, parseAmount, toDecimal } from '@wigwag/contract'
import { CURRENCY_RULE, isCurrency } from '../kernel/money/currencies.ts'
import type { Rate } from '../kernel/money/rates.ts'
import { NETWORKS } from '../kernel/phone/networks.ts'
import { isCountry } from '../kernel/phone/numbering-plan.ts'
import { type CsvRow, type Mistake, NotCsv, readCsvText } from '../kernel/process/csv-reader.ts'

/** The columns of a price list, in order. */
export const RATES_COLUMNS = ['country', 'mcc', 'mnc', 'network', 'price', 'currency'] as const
type Cells = CsvRow<(typeof RATES_COLUMNS)[number]>['cells']

export interface RatesFile {
  rates: Rate[]
  /** With any mistake, none of the rates may be used. */
  mistakes: Mistake[]
  /** Prices of networks without known numbers. */
  unused: Mistake[]
  /** The separator of the cells, unless it is commas. */
  separatedBy: string | undefined
}

/** Reads a whole price list. Throws a {@link NotCsv} when it is none. */
export function readRatesText(text: string): RatesFile {
  const { rows, mistakes, separatedBy } = readCsvText(text, { required: RATES_COLUMNS, others: 'wrong' })
  const rates: Rate[] = []
  const unused: Mistake[] = []
  const lines = new Map<string, number>()
  for (const { line, cells } of rows) {
    const reasons = [...wrongCells(cells), ...repeated(cells, lines)]
    if (reasons.length > 0) mistakes.push({ line, why: reasons.join('; ') })
    else rates.push(rateOf(cells))
    if (reasons.length === 0 && isUnknownNetwork(cells)) {
      unused.push({
        line,
        why: `no numbers are known for network ${cells.mcc}/${cells.mnc} in ${cells.country}`,
      })
    }
    lines.set(destinationOf(cells), line)
  }
  if (rates.length + mistakes.length === 0)
    throw new NotCsv('expected at least one rate below the first line, got none')
  return { rates, mistakes: mistakes.sort((a, b) => a.line - b.line), unused, separatedBy }
}

/** A price as a file has it, without gaps. */
export interface ListedRate extends Required<Omit<Rate, 'price'>> {
  price: number
}

/** Prices in the order of a file. */
export function listRates(rates: readonly Rate[]): ListedRate[] {
  return rates
    .map(({ price, ...place }) => ({ ...withoutGaps(place), price: toDecimal(price) }))
    .sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
}

/** The cells of a price in a file. */
export function rateCells(rate: ListedRate): (string | number)[] {
  return RATES_COLUMNS.map((column) => rate[column])
}

export function withoutGaps({ country, mcc = '', mnc = '', network = '', currency }: Omit<Rate, 'price'>) {
  return { country, mcc, mnc, network, currency }
}

function orderOf({ country, currency, mcc, mnc }: ListedRate): string {
  return [country, currency, mcc, mnc].join()
}

function wrongCells({ country, mcc, mnc, network, price, currency }: Cells): string[] {
  const wrong: string[] = []
  const expect = (holds: boolean, expected: string, came: string) => {
    if (!holds) wrong.push(`expected ${expected}, got ${JSON.stringify(came)}`)
  }
  expect(isCountry(country), 'country to be the two capital letters of a country, such as GH', country)
  expect(isCurrency(currency), `currency to be ${CURRENCY_RULE}`, currency)
  expect((mcc === '') === (mnc === ''), 'both mcc and mnc or neither', `${mcc},${mnc}`)
  expect(mcc === '' || /^\d{3}$/.test(mcc), 'mcc to be three digits', mcc)
  expect(mnc === '' || /^\d{2,3}$/.test(mnc), 'mnc to be two or three digits', mnc)
  if (mcc === '') expect(network === '', 'no network without mcc and mnc', network)
  else expect(network !== '', 'a network with mcc and mnc', network)
  try {
    parseAmount(price)
  } catch (error) {
    wrong.push(`price: ${error instanceof Error ? error.message : error}`)
  }
  return wrong
}

/** Refuses a second price for the same destination: we cannot know which one is meant. */
function repeated(cells: Cells, lines: ReadonlyMap<string, number>): string[] {
  const before = lines.get(destinationOf(cells))
  return before === undefined
    ? []
    : [`expected one price for each destination, but line ${before} has one too`]
}

function destinationOf({ country, mcc, mnc, currency }: Cells): string {
  return [currency, country, mcc, mnc].join()
}

function rateOf({ country, mcc, mnc, network, price, currency }: Cells): Rate {
  const rate = { country, price: parseAmount(price), currency }
  return mcc === '' ? rate : { ...rate, mcc, mnc, network }
}

function isUnknownNetwork({ country, mcc, mnc }: Cells): boolean {
  if (mcc === '') return false
  return !NETWORKS.some((known) => known.country === country && known.mcc === mcc && known.mnc === mnc)
}

/** A destination whose price differs between two lists. */
export interface RateChange extends Omit<Rate, 'price'> {
  /** Undefined where the first list has no price. */
  before: Micros | undefined
  /** Undefined where the second list has none. */
  after: Micros | undefined
}

/** The destinations that two price lists do not agree about, by currency, country and network. */
export function compareRates(before: readonly Rate[], after: readonly Rate[]): RateChange[] {
  const changes = new Map<string, RateChange>()
  for (const { price, ...place } of before) {
    changes.set(placeOf(place), { ...place, before: price, after: undefined })
  }
  for (const { price, ...place } of after) {
    const earlier = changes.get(placeOf(place))
    changes.set(placeOf(place), { ...place, before: earlier?.before, after: price })
  }
  return [...changes]
    .filter(([, { before, after }]) => before !== after)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change)
}

export interface ChangeCounts {
  added: number
  removed: number
  /** Rates that are dearer or cheaper. */
  changed: number
  dearer: number
  cheaper: number
}

export function countChanges(changes: readonly RateChange[]): ChangeCounts {
  const counts: ChangeCounts = { added: 0, removed: 0, changed: 0, dearer: 0, cheaper: 0 }
  for (const { before, after } of changes) {
    if (before === undefined) counts.added++
    else if (after === undefined) counts.removed++
    else {
      counts.changed++
      if (after > before) counts.dearer++
      else counts.cheaper++
    }
  }
  return counts
}

/** `adds 2 prices, takes 4 away, raises 1 and lowers 3`: what a list does to the one in force. */
export function changesInWords({ added, removed, dearer, cheaper }: Omit<ChangeCounts, 'changed'>): string {
  const said = [
    added > 0 && `adds ${counted(added, 'price')}`,
    removed > 0 && `takes ${counted(removed, 'price')} away`,
    dearer > 0 && `raises ${counted(dearer, 'price')}`,
    cheaper > 0 && `lowers ${counted(cheaper, 'price')}`,
  ].filter((part) => part !== false)
  return said.length < 2 ? said.join('') : `${said.slice(0, -1).join(', ')} and ${said.at(-1)}`
}

function placeOf({ currency, country, mcc = '', mnc = '' }: Omit<Rate, 'price'>): string {
  return [currency, country, mcc, mnc].join()
}
