import { RULES, type Rule, type Violation } from './check/violation.ts'
import type { FaultCounts } from './faults.ts'
import type { History, Operation } from './history.ts'

/** Counts of a history's operations. */
export interface Counts {
  /** All that reached a gateway, or may have. */
  operations: number
  ok: number
  failed: number
  unknown: number
  /** How many more reached no gateway, since it was down. */
  unreached: number
  refusedForMoney: number
  conflicts: number
  repeats: number
  balances: number
  reads: number
  taken: number
}

export function countHistory({ operations, taken }: History): Counts {
  const count = (test: (operation: Operation) => boolean) => operations.filter(test).length
  const failedWith = (...codes: string[]) =>
    count(({ outcome }) => outcome.is === 'failed' && codes.includes(outcome.code))
  const isRead = ({ kind }: Operation) => ['balance', 'status', 'search', 'ledger'].includes(kind)
  const unreached = failedWith('unreached')
  return {
    operations: operations.length - unreached,
    ok: count(({ outcome }) => outcome.is === 'ok'),
    failed: count(({ outcome }) => outcome.is === 'failed') - unreached,
    unknown: count(({ outcome }) => outcome.is === 'unknown'),
    unreached,
    refusedForMoney: failedWith('insufficient_funds', 'short'),
    conflicts: failedWith('idempotency_key_reused', 'other'),
    repeats: count(
      (operation) =>
        operation.kind === 'send' && operation.outcome.is === 'ok' && operation.outcome.value.replayed,
    ),
    balances: count(({ kind, outcome }) => kind === 'balance' && outcome.is === 'ok'),
    reads: count((operation) => isRead(operation) && operation.outcome.is === 'ok'),
    taken: taken.length,
  }
}

export function countFaults(faults: FaultCounts): number {
  return Object.values(faults).reduce((sum, count) => sum + count, 0)
}

export function countByRule(violations: readonly Violation[]): Record<Rule, number> {
  const counts: Record<Rule, number> = { bank: 0, ledger: 0, keys: 0, statuses: 0, once: 0 }
  for (const { rule } of violations) counts[rule]++
  return counts
}

/** The first violations of each rule, for a reader. */
export function inWords(violations: readonly Violation[]): string {
  return RULES.flatMap((rule) => {
    const some = violations.filter((violation) => violation.rule === rule).slice(0, 5)
    return some.map(({ what, operations }) => `${rule}: ${what} (operations ${operations.join(', ')})`)
  }).join('\n')
}
