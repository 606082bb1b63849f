import { toDecimal } from '@wigwag/contract'
import type { Cell } from '../kernel/text/csv.ts'
import type { StatementLine } from './ledger.ts'

/** The columns of a statement as a CSV file, in order. */
export const STATEMENT_COLUMNS = [
  'time',
  'kind',
  'amount',
  'currency',
  'before',
  'after',
  'reference',
  'ticket',
] as const

/** The cells of an entry. Debits and charges are negative, so that before and amount add up to after. */
export function statementCells(line: StatementLine, currency: string): Cell[] {
  const { createdAt, kind, amount, balanceBefore, balanceAfter, reference, messageId } = line
  const change = toDecimal(amount)
  return [
    new Date(createdAt).toISOString(),
    kind,
    kind === 'credit' ? change : -change,
    currency,
    toDecimal(balanceBefore),
    toDecimal(balanceAfter),
    reference,
    messageId ?? undefined,
  ]
}
