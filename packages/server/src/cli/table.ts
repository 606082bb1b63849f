import { visible } from '@wigwag/contract'
import widthOf from 'fast-string-width'
import { commandProcess } from './command-process.ts'

/** `name  value` lines with aligned values. */
export function lines(pairs: readonly (readonly [string, string | number])[]): string {
  const width = Math.max(...pairs.map(([name]) => widthOf(visible(name))))
  return pairs.map(([name, value]) => `${filled(visible(name), width)}  ${visible(String(value))}`).join('\n')
}

const GAP = '  '

/**
 * A table with headings and aligned columns. At a terminal it is no wider than that: cells are wrapped at their blanks,
 * the widest columns first. Where words alone are too wide, each row is a block of `HEADING  cell` lines, so that a ticket
 * or an address is never cut. Elsewhere a row is a line, whatever its length.
 */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => visible(String(cell))))
  const widths = widthsWithin(terminalWidth(), [headings, ...cells])
  if (!widths)
    return cells
      .map((row) => lines(headings.map((heading, column) => [heading, row[column] ?? ''])))
      .join('\n\n')
  return [headings, ...cells].map((row) => rowOf(row, widths)).join('\n')
}

/** A column of rows that come one by one grows up to this width; a wider cell moves only the rest of its row. */
const MOST_GROWN = 36

/** Aligns rows that are printed as they come: each column is as wide as its widest cell so far. */
export class Columns {
  readonly #widths: number[]

  /** @param widths the widths to begin with */
  constructor(widths: readonly number[]) {
    this.#widths = [...widths]
  }

  row(cells: readonly (string | number)[]): string {
    return cells
      .map((cell, column) => {
        const text = visible(String(cell))
        const width = Math.max(this.#widths[column] ?? 0, Math.min(widthOf(text), MOST_GROWN))
        this.#widths[column] = width
        return filled(text, width)
      })
      .join(GAP)
      .trimEnd()
  }
}

function terminalWidth(): number {
  const { isTTY, columns } = commandProcess().stdout
  return (isTTY && columns) || Number.POSITIVE_INFINITY
}

/** Longer than a ticket, an amount or most addresses. */
const LONG_WORD = 44

/** A width for each column; undefined if the longest words of the columns don't fit beside each other. */
function widthsWithin(most: number, rows: readonly (readonly string[])[]): number[] | undefined {
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ''))
  const widths = columns.map((cells) => Math.max(...usualCells(cells).map((cell) => widthOf(cell))))
  const least = columns.map((cells) =>
    Math.max(...usualCells(cells).flatMap((cell) => cell.split(' ').map((word) => widthOf(word)))),
  )
  const room = most - GAP.length * (columns.length - 1)
  if (sumOf(least) > room) return undefined
  for (let excess = sumOf(widths) - room; excess > 0; excess--) {
    const spare = widths.map((width, column) => (width > (least[column] ?? 0) ? width : 0))
    const widest = spare.indexOf(Math.max(...spare))
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}

/** The cells that say how wide a column is: a few much longer ones make their own rows longer, and no others. */
function usualCells(cells: readonly string[]): readonly string[] {
  const usual = cells.filter((cell) => cell.split(' ').every((word) => widthOf(word) <= LONG_WORD))
  return usual.length * 2 > cells.length ? usual : cells
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** A row, of as many lines as its longest cell takes. */
function rowOf(row: readonly string[], widths: readonly number[]): string {
  const wrapped = row.map((cell, column) => wrap(cell, widths[column] ?? 0))
  const height = Math.max(...wrapped.map(({ length }) => length))
  return Array.from({ length: height }, (_, line) =>
    wrapped
      .map((cell, column) => filled(cell[line] ?? '', widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  ).join('\n')
}

/** Adds blanks up to a width of the terminal, where a wide character takes two columns. */
function filled(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

function wrap(cell: string, width: number): string[] {
  if (widthOf(cell) <= width) return [cell]
  const wrapped: string[] = []
  let line = ''
  for (const word of cell.split(' ')) {
    if (line !== '' && widthOf(line) + 1 + widthOf(word) > width) {
      wrapped.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...wrapped, line]
}
