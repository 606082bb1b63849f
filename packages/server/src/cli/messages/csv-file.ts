import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CsvError, parse } from 'csv-parse/sync'
import { unguarded } from '../../domain/csv.ts'
import { commandProcess } from '../command-process.ts'
import { Failed } from '../terminal.ts'

export interface CsvColumns<Column extends string> {
  required: readonly Column[]
  optional?: readonly Column[]
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

/**
 * Reads a CSV file, `-` for standard input, whose first line names the columns. Rows with too many or too few cells are
 * mistakes. Apostrophes that guard cells of our own files are taken out.
 */
export async function readCsv<Column extends string>(
  file: string,
  columns: CsvColumns<Column>,
): Promise<{ rows: CsvRow<Column>[]; mistakes: Mistake[]; header: readonly string[] }> {
  const [header, ...records] = parseText(file, await readText(file))
  const names = placesOf(file, header?.record ?? [], columns)
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

function parseText(file: string, text: string): { record: string[]; line: number }[] {
  try {
    const lines: number[] = []
    const records = parse(text, {
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record(record, context) {
        lines.push(context.lines)
        return record
      },
    })
    return records.map((record, index) => ({ record, line: lines[index] ?? 0 }))
  } catch (error) {
    if (error instanceof CsvError) throw new Failed(`${file}: expected CSV; ${error.message}`)
    throw error
  }
}

/** The index of each column. Names are not case-sensitive. */
function placesOf<Column extends string>(
  file: string,
  header: readonly string[],
  { required, optional = [], others }: CsvColumns<Column>,
): (readonly [Column, number])[] {
  const found = header.map((name) => name.toLowerCase())
  const places = [...required, ...optional].map((name) => [name, found.indexOf(name.toLowerCase())] as const)
  const isMissing = places.some(([name, place]) => place < 0 && required.includes(name))
  const known = new Set<string>([...required, ...optional].map((name) => name.toLowerCase()))
  const isUnknown = others === 'wrong' && found.some((name) => !known.has(name))
  const isTwice = places.some(([, place]) => place >= 0 && found.lastIndexOf(found[place] ?? '') !== place)
  if (!isMissing && !isUnknown && !isTwice) return places.filter(([, place]) => place >= 0)
  const rest = optional.length > 0 ? ` and perhaps ${optional.join(',')}` : ''
  throw new Failed(
    `${file}:1: expected the columns ${required.join(',')}${rest}, got ${header.join(',') || 'nothing'}`,
  )
}
