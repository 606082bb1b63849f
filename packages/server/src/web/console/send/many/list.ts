import { inSlices } from '../../../../kernel/process/event-loop.ts'
import { unguarded } from '../../../../kernel/text/csv.ts'
import { columnOf } from '../../../../kernel/text/fields.ts'
import { countOf } from '../../../count.ts'

/** One line of a list: a number with its reference, as they were written. */
export interface Line {
  /** As an editor counts. */
  line: number
  to: string
  reference: string
  /** All that stands in it, where the first line names the columns. */
  cells: readonly string[]
  /** Why it can't be sent, whatever its number is. Then the rest of it was not read. */
  mistake?: string
  /** The number that was probably meant, of a line with a mistake. */
  clean?: string
}

export interface List {
  lines: readonly Line[]
  /** The columns, as the first line names them; none if it is a number already. */
  names: readonly string[]
  /** Which of the cells is the number. */
  place: number
  separator: string
}

/** More than any list needs: a line is read in one turn of the event loop, so both are bounded. */
const MOST_CELLS = 100
const LONGEST_LINE = 10_000
/** Of lines whose columns have no names: one list for a million of them. */
const NO_CELLS: readonly string[] = []
const BYTE_ORDER_MARK = '\ufeff'
/** Characters shown of a line that is too long to read. */
const LONGEST_NUMBER = 40

/**
 * Reads a list of numbers with references, or a CSV file of them: with commas, semicolons or tabs, quotes, blank lines
 * and a line that names the columns. A line is a record, so that a quote that is not closed spoils no other line. A
 * column that fills a field of the text is the reference only if it is named so.
 */
export async function readList(text: string, fields: readonly string[] = []): Promise<List> {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const lines: Line[] = []
  let separator: string | undefined
  let names: readonly string[] = []
  let columns: Columns | undefined
  await inSlices(recordsOf(plain), (record, index) => {
    const line = index + 1
    if (record.length > LONGEST_LINE) {
      const mistake = `Expected a line of at most ${countOf(LONGEST_LINE)} characters.`
      lines.push({ line, to: record.slice(0, LONGEST_NUMBER), reference: '', cells: NO_CELLS, mistake })
      return
    }
    if (record.trim() === '') return
    separator ??= separatorIn(record)
    const cells = cellsOf(record, separator ?? ',')
    const isTooWide = cells.length > MOST_CELLS
    if (!columns && !isTooWide && areNames(cells)) {
      names = cells
      columns = columnsNamed(cells, fields)
      return
    }
    columns ??= FIRST_TWO
    const { to, reference } = columns
    lines.push({
      line,
      to: numberIn(cells, to),
      reference: cells[reference] ?? '',
      cells: names.length > 0 ? cells : NO_CELLS,
      ...(isTooWide && { mistake: `Expected at most ${MOST_CELLS} cells in a line.` }),
    })
  })
  return { lines, names, place: columns?.to ?? 0, separator: separator ?? ',' }
}

/** A line's number. If a spreadsheet shortened it to `2,33241E+11`, the comma has cut it in two. */
function numberIn(cells: readonly string[], at: number): string {
  const [number = '', rest = ''] = cells.slice(at, at + 2)
  return /^\d$/.test(number) && /^\d*E\+?\d+$/i.test(rest) ? `${number},${rest}` : number
}

/** The lines of a text, made one after the other: a list may be two million line ends. */
function* recordsOf(text: string): Generator<string> {
  const ends = /\r\n|\r|\n/g
  for (let start = 0, end = ends.exec(text); ; end = ends.exec(text)) {
    yield text.slice(start, end?.index)
    if (!end) return
    start = ends.lastIndex
  }
}

/** Whether a text was not UTF-8 when the browser or the file held it. */
export function isGarbled(text: string): boolean {
  return text.includes('\ufffd') || text.includes('\0')
}

/** Some lines of a list as a text that {@link readList} reads back, with all columns that it names. */
export function writeList(
  { names, place, separator }: Omit<List, 'lines'>,
  lines: readonly Omit<Line, 'line'>[],
): string {
  const records = lines.map(({ to, reference, cells }) => {
    if (names.length > 0) return cells.map((cell, index) => (index === place ? to : cell))
    return reference === '' ? [to] : [to, reference]
  })
  return [...(names.length > 0 ? [names] : []), ...records]
    .map((cells) => cells.map(quoted).join(separator))
    .join('\n')
}

interface Columns {
  to: number
  reference: number
}

const FIRST_TWO: Columns = { to: 0, reference: 1 }
const NONE = -1
const NAMES_NUMBER = /number|phone|mobile|msisdn|recipient|destination|tel|cell|^to$/i
const NAMES_REFERENCE = /ref/i

/** Whether a first line names the columns. */
function areNames(cells: readonly string[]): boolean {
  return /\p{L}/u.test(cells[0] ?? '') && !cells.some((cell) => /\d{4}/.test(cell))
}

function columnsNamed(names: readonly string[], fields: readonly string[]): Columns {
  const to = Math.max(
    0,
    names.findIndex((name) => NAMES_NUMBER.test(name)),
  )
  const named = names.findIndex((name) => NAMES_REFERENCE.test(name))
  if (named >= 0 && named !== to) return { to, reference: named }
  const other = to === 0 ? 1 : 0
  const isFilledIn = fields.some((field) => columnOf(field, names) === other)
  return { to, reference: isFilledIn ? NONE : other }
}

/** A number has none of these in it, so the first of them separates the columns. */
function separatorIn(line: string): string | undefined {
  let isQuoted = false
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && /[,;\t]/.test(character)) return character
  }
  return undefined
}

/** The cells of a line, up to the first that is too many. In a quoted one two quotes stand for one. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = []
  let start = 0
  while (start <= line.length && cells.length <= MOST_CELLS) {
    const [cell, end] = /^\s*"/.test(line.slice(start, start + 20))
      ? quotedCell(line, start, delimiter)
      : plainCell(line, start, delimiter)
    cells.push(unguarded(cell).trim())
    start = end + 1
  }
  return cells
}

function plainCell(line: string, start: number, delimiter: string): [cell: string, end: number] {
  const at = line.indexOf(delimiter, start)
  const end = at < 0 ? line.length : at
  return [line.slice(start, end), end]
}

function quotedCell(line: string, start: number, delimiter: string): [cell: string, end: number] {
  let at = line.indexOf('"', start) + 1
  let cell = ''
  for (;;) {
    const quote = line.indexOf('"', at)
    if (quote < 0) return [cell + line.slice(at), line.length]
    cell += line.slice(at, quote)
    at = quote + 1
    if (line[at] !== '"') break
    cell += '"'
    at++
  }
  const [rest, end] = plainCell(line, at, delimiter)
  return [cell + rest, end]
}

function quoted(cell: string): string {
  return /[",;\t]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
