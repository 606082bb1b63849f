import { parseAmount } from '@wigwag/contract'
import { CURRENCY_RULE, isCurrency } from '../../domain/money/currencies.ts'
import type { Rate } from '../../domain/money/rates.ts'
import { NETWORKS } from '../../domain/phone/networks.ts'
import { isCountry } from '../../domain/phone/numbering-plan.ts'
import { type CsvRow, type Mistake, readCsv, refuseMistakes } from '../messages/csv-file.ts'
import { Failed } from '../terminal.ts'

/** The columns of a price list, in order. */
export const COLUMNS = ['country', 'mcc', 'mnc', 'network', 'price', 'currency'] as const
type Cells = CsvRow<(typeof COLUMNS)[number]>['cells']

export interface RatesFile {
  rates: Rate[]
  /** Prices of networks without known numbers. */
  unused: Mistake[]
}

/** Reads a whole price list. If any row is wrong, the command fails and lists all wrong rows. */
export async function readRatesFile(file: string): Promise<RatesFile> {
  const { rows, mistakes } = await readCsv(file, { required: COLUMNS, others: 'wrong' })
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
  refuseMistakes(file, mistakes)
  if (rates.length === 0)
    throw new Failed(`${file}: expected at least one rate below the first line, got none`)
  return { rates, unused }
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
