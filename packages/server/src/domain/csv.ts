/** A cell of a CSV file. A text that a spreadsheet would take for a formula is led by an apostrophe. */
export type Cell = string | number | undefined

const FORMULA = /^[=+\-@\t\r]/

/** One line. Numbers stay plain, so that they can be added up. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`
}

function cellOf(cell: Cell): string {
  if (cell === undefined) return ''
  if (typeof cell === 'number') return String(cell)
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return safe !== cell || /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
