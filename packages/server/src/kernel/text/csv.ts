/** A cell of a CSV file. */
export type Cell = string | number | undefined

/**
 * Where a spreadsheet may begin a formula: at the beginning of a text, and after a semicolon, tab or line break, which some
 * spreadsheets take for the end of a cell even in quotes. An apostrophe in such a place gets another one before it, so
 * that `unguarded` restores any text.
 */
const UNGUARDED = /(?<=^|[;\t\r\n])(?='*[=+\-@＝＋－＠])|^(?='*[\t\r\n])/gu
const GUARD = /(?<=^|[;\t\r\n])'(?='*[=+\-@＝＋－＠])|^'(?='*[\t\r\n])/gu

/** One line. Every text is in quotes and guarded; numbers stay plain, so that they can be added up. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(cell: Cell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'number') return String(cell)
  return `"${guarded(cell).replaceAll('"', '""')}"`
}

/** A text with an apostrophe wherever a spreadsheet would begin a formula. */
function guarded(text: string): string {
  return text.replace(UNGUARDED, "'")
}

/** A text as it was before it was written to a file: without the apostrophes that guard it. */
export function unguarded(text: string): string {
  return text.replace(GUARD, '')
}
