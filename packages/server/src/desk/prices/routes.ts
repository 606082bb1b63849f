import {
  compareRates,
  importRates,
  listRates,
  RATES_COLUMNS,
  type RatePlace,
  rateCells,
  ratesInForce,
  readRates,
  readRatesText,
  sinceOf,
  someRates,
} from '../../money/index.ts'
import { csvReply } from '../../pages/csv.ts'
import { NotCsv } from '../../platform/csv.ts'
import { goTo } from '../../platform/pages/reply.ts'
import { ACT, LOOK, PROVEN } from '../frame/guard.ts'
import type { Pages } from '../frame/pages.ts'
import type { Page, Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { comparePage } from './compare-page.ts'
import { importPage, type Wrong } from './import-page.ts'
import { LONGEST_SEARCH, pricesPage } from './page.ts'
import { soughtBy } from './price-search.ts'

const ROWS = 50
/** In bytes, of a list. */
const LARGEST_TEXT = 1_024 * 1_024
/** In bytes, of a form with a list: what asks again who it is carries it with up to three characters for each. */
const LARGEST = 4 * LARGEST_TEXT

/** The prices in force, with a search, as a file, and replacing them by a list. */
export function mountPrices(pages: Pages, { database, workOf }: DeskParts): void {
  pages.show('/prices', LOOK, async ({ c, operator }) => {
    const search = (c.req.query('q') ?? '').trim().slice(0, LONGEST_SEARCH)
    const after = placeIn(c.req.query('after'))
    const wanted = { ...soughtBy(search), after, limit: ROWS + 1 }
    const { inForce, found } = await database.read(async (tx) => ({
      inForce: await ratesInForce(tx),
      found: wanted.countries?.length === 0 ? [] : await someRates(tx, wanted),
    }))
    const rates = found.slice(0, ROWS)
    const last = rates.at(-1)
    return pricesPage({
      ...{ inForce, rates, search, isLater: after !== undefined, mayAct: operator.role === 'act' },
      next: found.length > ROWS && last ? written(last) : undefined,
      isDone: c.req.query('done') !== undefined,
    })
  })

  pages.file('/prices/file.csv', LOOK, async () => {
    const { rates } = await database.read(readRates)
    return csvReply({
      name: 'rates.csv',
      head: RATES_COLUMNS,
      read: async () => ({ items: listRates(rates), next: undefined }),
      line: rateCells,
    })
  })

  pages.show('/prices/import', ACT, async (visit) => importPage(visit, ''))
  pages.change('/prices/check', { ...ACT, largest: LARGEST }, async (visit, form) => {
    const read = readList(form)
    return 'wrong' in read ? importPage(visit, read.text, read.wrong) : compare(visit, read)
  })
  pages.change('/prices/import', { ...PROVEN, largest: LARGEST }, async (visit, form) => {
    const read = readList(form)
    if ('wrong' in read) return importPage(visit, read.text, read.wrong)
    const version = form.get('version') ?? ''
    const isDone = await importRates(workOf(visit.acting), read.file.rates, version)
    return isDone ? goTo('/prices?done') : compare(visit, read, true)
  })

  /** Compares with what is in force now. A list that was put in force by the same press needs no second look. */
  async function compare(
    visit: Visit,
    { text, file }: List,
    hasChangedMeanwhile = false,
  ): Promise<Page | Response> {
    const { rates, sample, version } = await database.read(readRates)
    const changes = compareRates(rates, file.rates)
    if (hasChangedMeanwhile && changes.length === 0 && !sample) return goTo('/prices?done')
    return comparePage({ visit, text, file, changes, version, since: sinceOf(version), hasChangedMeanwhile })
  }
}

interface List {
  text: string
  file: ReturnType<typeof readRatesText>
}

/** The list that a form has, as a file or as lines. */
function readList(form: URLSearchParams): List | { text: string; wrong: Wrong } {
  // Forms post the end of a line as two characters.
  const [lines, file] = ['csv', 'file'].map((name) => (form.get(name) ?? '').replace(/\r\n?/g, '\n'))
  const [isTyped, isFile] = [lines?.trim() !== '', (file ?? '').trim() !== '']
  const text = (isFile && !isTyped ? file : lines) ?? ''
  const refused = (whole: string) => ({ text: lines ?? '', wrong: { whole } })
  if (isTyped && isFile)
    return refused('Expected a file or lines, and both came. Empty the lines to use the file.')
  if (!isTyped && !isFile) return refused('Expected a price list, got nothing.')
  if (text.includes('\uFFFD'))
    return refused('Expected text in UTF-8, got another encoding. Save the file as “CSV UTF-8”.')
  if (Buffer.byteLength(text) > LARGEST_TEXT) return refused('Expected at most 1 MiB.')
  try {
    const read = readRatesText(text)
    return read.mistakes.length > 0 ? { text, wrong: { lines: read.mistakes } } : { text, file: read }
  } catch (error) {
    if (!(error instanceof NotCsv)) throw error
    const at = error.line === undefined ? '' : `Line ${error.line}: `
    return { text, wrong: { whole: `${at}${error.message}` } }
  }
}

function written({ currency, country, mcc, mnc }: RatePlace): string {
  return [currency, country, mcc, mnc].join('.')
}

function placeIn(text: string | undefined): RatePlace | undefined {
  const found = /^([A-Z]{3})\.([A-Z]{2})\.(\d{0,3})\.(\d{0,3})$/.exec(text ?? '')
  const [, currency, country, mcc, mnc] = found ?? []
  if (currency === undefined || country === undefined || mcc === undefined || mnc === undefined)
    return undefined
  return { currency, country, mcc, mnc }
}
