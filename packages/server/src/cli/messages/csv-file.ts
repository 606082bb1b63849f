import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import {
  type CsvColumns,
  type CsvText,
  type Mistake,
  NotCsv,
  readCsvText,
} from '../../kernel/process/csv-reader.ts'
import { commandProcess } from '../command-process.ts'
import { Failed, say } from '../terminal.ts'

export type { CsvColumns, Mistake } from '../../kernel/process/csv-reader.ts'

/** Reads a CSV file, `-` for standard input, as {@link readCsvText} does. If not commas separate its cells, a line says so. */
export async function readCsv<Column extends string>(
  file: string,
  columns: CsvColumns<Column>,
): Promise<CsvText<Column>> {
  return readCsvFile(file, (text) => readCsvText(text, columns))
}

/** Reads a file by a reader of CSV texts. */
export async function readCsvFile<Read extends { separatedBy: string | undefined }>(
  file: string,
  read: (text: string) => Read,
): Promise<Read> {
  try {
    const found = read(await readText(file))
    if (found.separatedBy !== undefined) say(`${file}: its cells are separated by ${found.separatedBy}`)
    return found
  } catch (error) {
    if (!(error instanceof NotCsv)) throw error
    throw new Failed(`${file}:${error.line === undefined ? '' : `${error.line}:`} ${error.message}`)
  }
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
