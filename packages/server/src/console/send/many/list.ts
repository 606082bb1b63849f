import { unguarded } from '../../../domain/csv.ts'

/** One line of a list: a number with its reference, as they were written. */
export interface Line {
  /** As an editor counts. */
  line: number
  to: string
  reference: string
}

export interface List {
  lines: readonly Line[]
  /** Whether its first line names the columns. */
  hasHeader: boolean
}

/** Lines that are read between two turns of the event loop. */
const TURN = 2_000
const BYTE_ORDER_MARK = '\ufeff'

/**
 * Reads a list of numbers with references, or a CSV file of them: with commas, semicolons or tabs, quotes, blank lines
 * and a line that names the columns. A line is a record, so that a quote that is not closed spoils no other line.
 */
export async function readList(text: string): Promise<List> {
  const plain = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text
  const delimiter = delimiterOf(plain)
  const lines: Line[] = []
  let columns: Columns | undefined
  for (const [index, record] of plain.split(/\r\n|\r|\n/).entries()) {
    if (index % TURN === TURN - 1) await new Promise(setImmediate)
    if (record.trim() === '') continue
    const cells = cellsOf(record, delimiter)
    if (!columns) {
      columns = columnsNamed(cells) ?? FIRST_TWO
      if (columns !== FIRST_TWO) continue
    }
    const { to, reference } = columns
    lines.push({ line: index + 1, to: cells[to] ?? '', reference: cells[reference] ?? '' })
  }
  return { lines, hasHeader: columns !== undefined && columns !== FIRST_TWO }
}

/** Whether a text was not UTF-8 when the browser or the file held it. */
export function isGarbled(text: string): boolean {
  return text.includes('\ufffd') || text.includes('\0')
}

/** A list as a text that {@link readList} reads back. */
export function writeList(lines: readonly Pick<Line, 'to' | 'reference'>[]): string {
  return lines
    .map(({ to, reference }) => (reference === '' ? quoted(to) : `${quoted(to)},${quoted(reference)}`))
    .join('\n')
}

interface Columns {
  to: number
  reference: number
}

const FIRST_TWO: Columns = { to: 0, reference: 1 }
const NAMES_NUMBER = /number|phone|mobile|msisdn|recipient|destination|tel|cell|^to$/i
const NAMES_REFERENCE = /ref/i

/** The columns that a first line names; undefined when it is a number already. */
function columnsNamed(cells: readonly string[]): Columns | undefined {
  if (!/\p{L}/u.test(cells[0] ?? '') || cells.some((cell) => /\d{4}/.test(cell))) return undefined
  const to = Math.max(
    0,
    cells.findIndex((cell) => NAMES_NUMBER.test(cell)),
  )
  const named = cells.findIndex((cell) => NAMES_REFERENCE.test(cell))
  return { to, reference: named >= 0 && named !== to ? named : to === 0 ? 1 : 0 }
}

/** A number has none of these in it, so the first of them parts the columns. */
function delimiterOf(text: string): string {
  let isQuoted = false
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && /[,;\t]/.test(character)) return character
  }
  return ','
}

/** The cells of a line. In a quoted one two quotes stand for one. */
function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = []
  let start = 0
  while (start <= line.length) {
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
