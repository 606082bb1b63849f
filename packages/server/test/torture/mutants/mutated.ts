/** The files whose rules are broken. */
export const MUTATED: readonly string[] = [
  'packages/contract/src/money.ts',
  'packages/contract/src/text/segments.ts',
  'packages/server/src/kernel/message.ts',
  'packages/server/src/kernel/money/daily-use.ts',
  'packages/server/src/kernel/money/ledger.ts',
  'packages/server/src/kernel/money/rates.ts',
  'packages/server/src/kernel/text/csv.ts',
  'packages/server/src/kernel/text/fields.ts',
  'packages/server/src/kernel/text/segments.ts',
  'packages/server/src/callbacks/after-attempt.ts',
  'packages/mcp/src/gate/spending-rules.ts',
]
