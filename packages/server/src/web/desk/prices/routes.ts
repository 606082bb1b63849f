import type { Rate } from '../../../kernel/money/rates.ts'
import { NETWORKS, networkOf } from '../../../kernel/phone/networks.ts'
import { isCountry, planOf, territoryOf } from '../../../kernel/phone/numbering-plan.ts'
import { plainNumber } from '../../../kernel/phone/phone.ts'
import { NotCsv } from '../../../kernel/process/csv-reader.ts'
import {
  compareRates,
  type EarlierRates,
  earlierLists,
  earlierRates,
  importRates,
  listRates,
  RATES_COLUMNS,
  type RatePlace,
  type RatesFile,
  type RatesWanted,
  rateCells,
  ratesInForce,
  readRates,
  readRatesText,
  restoreRates,
  sinceOf,
  someRates,
} from '../../../money/index.ts'
import { goTo } from '../../../net/pages/reply.ts'
import { csvReply } from '../../files.ts'
import { countryName } from '../../widgets/phone.tsx'
import type { Pages } from '../frame/pages.ts'
import { ACT, LOOK, type Page, PROVEN, type Visit } from '../frame/visit.ts'
import type { DeskParts } from '../parts.ts'
import { earlierPage, noSuchList } from './earlier.tsx'
import {
  type CompareView,
  comparePage,
  importPage,
  listField,
  numberField,
  type Wrong,
} from './import-pages.tsx'
import { LONGEST_SEARCH, pricesPage } from './page.tsx'

const ROWS = 50
/** In bytes, of a list. */
const LARGEST_TEXT = 1_024 * 1_024
/** In bytes, of a form with a list: what asks again who it is carries it with up to three characters for each. */
const LARGEST = 4 * LARGEST_TEXT

/** The prices in force, with a search, as a file, and replacing them by a list or by an earlier one. */
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
      inForce,
      rates,
      search,
      isLater: after !== undefined,
      mayAct: operator.role === 'act',
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
    return 'wrong' in read ? importPage(visit, read.text, read.wrong) : compare(visit, ofFile(read))
  })
  pages.change('/prices/import', { ...PROVEN, largest: LARGEST }, async (visit, form) => {
    const read = readList(form)
    if ('wrong' in read) return importPage(visit, read.text, read.wrong)
    const version = form.get('version') ?? ''
    const done = await importRates(workOf(visit.acting), read.file.rates, version)
    return done ? goTo('/prices?done') : compare(visit, ofFile(read), true)
  })

  pages.show('/prices/earlier', LOOK, async ({ operator }) =>
    earlierPage(await database.read((tx) => earlierLists(tx)), operator.role === 'act'),
  )
  pages.show('/prices/earlier/:number', ACT, async (visit) => {
    const list = await earlierList(visit.c.req.param('number'))
    return list ? compare(visit, ofEarlier(list)) : noSuchList()
  })
  pages.change('/prices/restore', PROVEN, async (visit, form) => {
    const list = await earlierList(form.get('list'))
    if (!list) return noSuchList()
    const done = await restoreRates(workOf(visit.acting), list, form.get('version') ?? '')
    return done ? goTo('/prices?done') : compare(visit, ofEarlier(list), true)
  })

  async function earlierList(number: string | null | undefined) {
    return /^[1-9]\d{0,8}$/.test(number ?? '')
      ? database.read((tx) => earlierRates(tx, Number(number)))
      : undefined
  }

  /** Compares with what is in force now. A list that was put in force by the same press needs no second look. */
  async function compare(
    visit: Visit,
    { rates: next, sample: isSample, unused, form }: NextRates,
    hasChangedMeanwhile = false,
  ): Promise<Page | Response> {
    const { rates, sample, version } = await database.read(readRates)
    const changes = compareRates(rates, next)
    if (hasChangedMeanwhile && changes.length === 0 && sample === isSample) return goTo('/prices?done')
    const list = { prices: next.length, unused }
    const since = sinceOf(version)
    return comparePage({ visit, list, form, changes, version, since, hasChangedMeanwhile })
  }
}

/** Prices that a button puts in force. */
interface NextRates extends Pick<CompareView, 'form'> {
  rates: readonly Rate[]
  sample: boolean
  unused: RatesFile['unused']
}

function ofFile({ text, file: { rates, unused } }: List): NextRates {
  return { rates, sample: false, unused, form: { action: '/prices/import', fields: listField(text) } }
}

function ofEarlier({ number, rates, sample }: EarlierRates): NextRates {
  return { rates, sample, unused: [], form: { action: '/prices/restore', fields: numberField(number) } }
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

const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const COUNTRIES = LETTERS.flatMap((a) => LETTERS.map((b) => a + b)).filter(isCountry)

export type Sought = Pick<RatesWanted, 'countries' | 'networks'>

/** Which prices a search means: of a number or how it begins, or of countries by a code or a part of their name. */
function soughtBy(search: string): Sought {
  if (search === '') return { countries: undefined, networks: undefined }
  const digits = plainNumber(search)
  return /^\d+$/.test(digits) ? byNumber(digits) : byCountry(search)
}

function byCountry(search: string): Sought {
  const code = search.toUpperCase()
  if (isCountry(code)) return { countries: [code], networks: undefined }
  const part = search.toLowerCase()
  return {
    countries: COUNTRIES.filter((country) => countryName(country).toLowerCase().includes(part)),
    networks: undefined,
  }
}

/** As far as the digits decide: one network, several, or a whole country. */
function byNumber(digits: string): Sought {
  const plan = planOf(digits)
  if (!plan) return { countries: [], networks: undefined }
  const national = digits.slice(plan.callingCode.length)
  const territory =
    plan.territories.length === 1 ? plan.main : national === '' ? undefined : territoryOf(plan, national)
  const countries = (territory ? [territory] : plan.territories).map(({ country }) => country)
  if (national === '') return { countries, networks: undefined }
  const known = networkOf(digits)
  const begun = NETWORKS.filter(({ prefixes }) => prefixes.some((prefix) => prefix.startsWith(digits)))
  return { countries, networks: known ? [known, ...begun] : begun }
}
