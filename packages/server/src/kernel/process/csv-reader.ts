import { CsvError, parse } from 'csv-parse/sync'
import { unguarded } from '../text/csv.ts'

export interface CsvColumns<Column extends string> {
  required: readonly Column[]
  optional?: readonly Column[]
  /** Columns that the caller needs as well; it says itself that one is missing. */
  alsoNeeded?: readonly Column[]
  /** Whether other columns are ignored or are a mistake. */
  others: 'ignored' | 'wrong'
}

export interface CsvRow<Column extends string> {
  /** The row's line number, as an editor counts. */
  line: number
  cells: Record<Column, string>
}

/** A wrong row and the reason. */
export interface Mistake {
  line: number
  why: string
}

/** Separators that spreadsheets write, each in some countries. */
const SEPARATORS = [',', ';', '\t'] as const
type Separator = (typeof SEPARATORS)[number]
const NAMES = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const

export interface CsvText<Column extends string> {
  rows: CsvRow<Column>[]
  mistakes: Mistake[]
  header: readonly string[]
  /** The separator of the cells, unless it is commas. */
  separatedBy: string | undefined
}

/** Thrown for a text that can't be read as CSV with the columns that were expected. */
export class NotCsv extends Error {
  override readonly name = 'NotCsv'
  readonly line: number | undefined

  constructor(why: string, line?: number) {
    super(why)
    this.line = line
  }
}

/**
 * Reads a CSV text whose first line names the columns. Rows with too many or too few cells are mistakes.
 * Apostrophes that guard cells of our own files are taken out. Throws {@link NotCsv}.
 */
export function readCsvText<Column extends string>(
  text: string,
  columns: CsvColumns<Column>,
): CsvText<Column> {
  refuseLongLine(text)
  const separator = separatorOf(text, columns)
  // A text without the columns is not read on: there may be much of it.
  const [first] = parseText(text, separator, 1)
  const names = placesOf(first?.record ?? [], columns)
  const [header, ...records] = parseText(text, separator)
  const rows: CsvRow<Column>[] = []
  const mistakes: Mistake[] = []
  for (const { record, line } of records) {
    const expected = header?.record.length ?? 0
    if (record.length !== expected) {
      mistakes.push({ line, why: `expected ${expected} cells, as the first line has, got ${record.length}` })
      continue
    }
    const cells = Object.fromEntries(names.map(([name, place]) => [name, unguarded(record[place] ?? '')]))
    rows.push({ line, cells: cells as Record<Column, string> })
  }
  const separatedBy = separator === ',' ? undefined : NAMES[separator]
  return { rows, mistakes, header: header?.record ?? [], separatedBy }
}

/** In characters, more than any line has. One of a million cells takes seconds. */
const LONGEST_LINE = 10_000

function refuseLongLine(text: string): void {
  for (let line = 1, start = 0; start < text.length; line++) {
    const end = text.indexOf('\n', start)
    const length = (end < 0 ? text.length : end) - start
    if (length > LONGEST_LINE)
      throw new NotCsv(`expected a line of at most 10,000 characters, got ${length}`, line)
    start += length + 1
  }
}

/** Finds the separator by which the first line has all required columns; otherwise commas. */
function separatorOf<Column extends string>(text: string, { required }: CsvColumns<Column>): Separator {
  const isRight = (separator: Separator) => {
    const found = namesIn(text, separator)
    return required.every((name) => found.includes(name.toLowerCase()))
  }
  return SEPARATORS.find(isRight) ?? ','
}

/** The names in the first line, in small letters; none if it can't be read so. */
function namesIn(text: string, delimiter: Separator): string[] {
  try {
    const [names = []] = parse(text, { ...FORMAT, delimiter, to: 1 })
    return names.map((name) => name.toLowerCase())
  } catch (error) {
    if (error instanceof CsvError) return []
    throw error
  }
}

const FORMAT = { trim: true, skip_empty_lines: true, relax_column_count: true } as const

/** All rows, or as many as are wanted. */
function parseText(text: string, delimiter: Separator, to = -1): { record: string[]; line: number }[] {
  const lines: number[] = []
  try {
    const records = parse(text, {
      ...FORMAT,
      delimiter,
      to,
      on_record(record, context) {
        lines.push(context.lines)
        return record
      },
    })
    return records.map((record, index) => ({ record, line: lines[index] ?? 0 }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    // The parser names the line at which the file ends.
    if (error.code === 'CSV_QUOTE_NOT_CLOSED')
      throw new NotCsv(
        'expected a quote for each that is opened; the one of this row is not closed',
        (lines.at(-1) ?? 0) + 1,
      )
    throw new NotCsv(`expected CSV; ${error.message}`)
  }
}

/** The index of each column. Names are not case-sensitive. */
function placesOf<Column extends string>(
  header: readonly string[],
  { required, optional = [], alsoNeeded = [], others }: CsvColumns<Column>,
): (readonly [Column, number])[] {
  const found = header.map((name) => name.toLowerCase())
  const places = [...required, ...alsoNeeded, ...optional].map(
    (name) => [name, found.indexOf(name.toLowerCase())] as const,
  )
  const isMissing = places.some(([name, place]) => place < 0 && required.includes(name))
  const known = new Set<string>([...required, ...alsoNeeded, ...optional].map((name) => name.toLowerCase()))
  const isUnknown = others === 'wrong' && found.some((name) => !known.has(name))
  const isTwice = places.some(([, place]) => place >= 0 && found.lastIndexOf(found[place] ?? '') !== place)
  if (!isMissing && !isUnknown && !isTwice) return places.filter(([, place]) => place >= 0)
  const rest = optional.length > 0 ? ` and perhaps ${optional.join(',')}` : ''
  throw new NotCsv(
    `expected the columns ${[...required, ...alsoNeeded].join(',')}${rest}, separated by commas, semicolons or tabs; ` +
      `got ${header.join(',') || 'nothing'}`,
    1,
  )
}
