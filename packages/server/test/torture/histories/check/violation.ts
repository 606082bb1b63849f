/** The five groups of rules. */
export const RULES = ['bank', 'ledger', 'keys', 'statuses', 'once'] as const
export type Rule = (typeof RULES)[number]

export interface Violation {
  rule: Rule
  what: string
  /** The ids of the operations that contradict each other, or the promise. */
  operations: readonly number[]
}
