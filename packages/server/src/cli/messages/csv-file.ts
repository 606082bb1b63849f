import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CsvError, parse } from 'csv-parse/sync'
import { unguarded } from '../../domain/csv.ts'
import { commandProcess } from '../command-process.ts'
import { Failed, say } from '../terminal.ts'

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

/** What may be between two cells: what spreadsheets write, each in some countries. */
const SEPARATORS = [',', ';', '\t'] as const
type Separator = (typeof SEPARATORS)[number]
const NAMES = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const

/**
 * Reads a CSV file, `-` for standard input, whose first line names the columns. Its cells are separated by what separates
 * the columns that are expected there; if those are not commas, a line says so. Rows with too many or too few cells are
 * mistakes. Apostrophes that guard cells of our own files are taken out.
 */
export async function readCsv<Column extends string>(
  file: string,
  columns: CsvColumns<Column>,
): Promise<{ rows: CsvRow<Column>[]; mistakes: Mistake[]; header: readonly string[] }> {
  const text = await readText(file)
  const separator = separatorOf(text, columns)
  const [header, ...records] = parseText(file, text, separator)
  const names = placesOf(file, header?.record ?? [], columns)
  if (separator !== ',') say(`${file}: its cells are separated by ${NAMES[separator]}`)
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
  return { rows, mistakes, header: header?.record ?? [] }
}

/** Fails the command if there are mistakes, with one line for each. */
export function refuseMistakes(file: string, mistakes: readonly Mistake[]): void {
  if (mistakes.length === 0) return
  const all = [...mistakes].sort((a, b) => a.line - b.line).map(({ line, why }) => `${file}:${line}: ${why}`)
  const count = mistakes.length === 1 ? '1 row is wrong' : `${mistakes.length} rows are wrong`
  throw new Failed(`${count}, so none was taken\n${all.join('\n')}`)
}

async function readText(file: string): Promise<string> {
  const reading = file === '-' ? buffer(commandProcess().stdin) : readFile(file)
  const bytes = await reading.catch((error: NodeJS.ErrnoException) => {
    throw new Failed(unreadable(file, error), 2)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Failed(`${file}: expected UTF-8, got another encoding; save it as CSV UTF-8`)
  }
}

function unreadable(file: string, { code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return `there is no file ${file}`
  if (code === 'EISDIR') return `${file}: expected a CSV file, got a folder`
  if (code === 'EACCES') return `${file}: no right to read it`
  return message
}

/** What separates the cells of a text: the first by which its first line has all columns that are required, else commas. */
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

function parseText(file: string, text: string, delimiter: Separator): { record: string[]; line: number }[] {
  const lines: number[] = []
  try {
    const records = parse(text, {
      ...FORMAT,
      delimiter,
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
      throw new Failed(
        `${file}:${(lines.at(-1) ?? 0) + 1}: expected a quote for each that is opened; the one of this row is not closed`,
      )
    throw new Failed(`${file}: expected CSV; ${error.message}`)
  }
}

/** The index of each column. Names are not case-sensitive. */
function placesOf<Column extends string>(
  file: string,
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
  throw new Failed(
    `${file}:1: expected the columns ${[...required, ...alsoNeeded].join(',')}${rest}, separated by commas, semicolons or tabs; ` +
      `got ${header.join(',') || 'nothing'}`,
  )
}
