import { formatAmount, micros, toDecimal } from '@wigwag/contract'
import type { ComparedFigure, Comparison } from '../../moving/index.ts'
import { Failed, type OutputFlags, output, table } from '../terminal.ts'

/** Shows both sides of a move. Throws with the last sentence when they differ. */
export function report(
  flags: OutputFlags,
  comparison: Comparison,
  otherwise: string,
  details: object = {},
): void {
  const { tables, books, same } = comparison
  const figures = books.map(({ what, currency, from, to }) =>
    currency === undefined
      ? { what, from, to }
      : { what, currency, from: toDecimal(micros(from)), to: toDecimal(micros(to)) },
  )
  const rows = table(
    ['TABLE', 'ROWS FROM', 'ROWS TO', 'CONTENT'],
    tables.map(({ table: name, from, to, same: alike }) => [name, from, to, alike ? 'same' : 'DIFFERS']),
  )
  const sums = table(
    ['BOOKS', 'FROM', 'TO', ''],
    books.map((figure) => {
      const { what, currency = '', from, to } = figure
      return [
        `${what} ${currency}`.trim(),
        shown(figure, from),
        shown(figure, to),
        from === to ? 'same' : 'DIFFERS',
      ]
    }),
  )
  output(flags, { ...details, same, tables, books: figures }, `${rows}\n\n${sums}`)
  if (!same) throw new Failed(otherwise)
}

function shown({ currency }: ComparedFigure, value: number): string | number {
  return currency === undefined ? value : formatAmount(micros(value))
}
