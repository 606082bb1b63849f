import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { atLength, checkFigures } from '../../support/figures.ts'
import { printedSeed } from '../../support/random.ts'
import { checkHistory } from './check/check-history.ts'
import type { Violation } from './check/violation.ts'
import type { FaultsOptions } from './faults.ts'
import { countByRule, countFaults, countHistory, inWords } from './figures.ts'
import { type History, writeHistory } from './history.ts'
import { runHistory } from './run-history.ts'

interface Length {
  ms: number
  /** How many of the rarer answers there must be. On a busy machine a short run may see none. */
  some: number
  operations: number
  wallets: number
  clients: number
  faults: Pick<FaultsOptions, 'kinds' | 'everyMs' | 'atLeast'>
}

const { ms, some, operations, wallets, clients, faults } = atLength<Length>({
  short: {
    ms: 3_000,
    some: 0,
    operations: 100,
    wallets: 3,
    clients: 12,
    faults: { kinds: ['kill', 'freeze', 'cut'], everyMs: 500, atLeast: 3 },
  },
  full: {
    ms: 630_000,
    some: 50,
    operations: 30_000,
    wallets: 5,
    clients: 16,
    faults: {
      kinds: [
        'kill',
        'freeze',
        'cut',
        'kill',
        'cut',
        'freeze',
        'hang',
        'kill',
        'cut',
        'freeze',
        'cut',
        'kill',
      ],
      everyMs: 7_000,
      atLeast: 30,
    },
  },
})

describe('three gateways on one PostgreSQL that are killed, stopped and cut off', () => {
  it('give no answers that contradict each other', { timeout: ms + 600_000 }, async () => {
    const seed = printedSeed()
    const run = await runHistory({
      seed,
      ms,
      gateways: 3,
      wallets,
      clients,
      restMs: 60,
      faults,
      patienceMs: 300_000,
    })
    const violations = checkHistory(run.history)
    if (violations.length > 0) report(run.history, violations)

    const counts = countHistory(run.history)
    const wrong = countByRule(violations)
    const bad = { is: 0 }
    checkFigures(`${clients} clients, three gateways`, {
      'operations recorded': [counts.operations, { atLeast: operations }],
      'of them, answered with success': counts.ok,
      'of them, refused': counts.failed,
      'of them, without an answer that tells': [counts.unknown, { atLeast: some }],
      'more that found no gateway listening': counts.unreached,
      'sends and debits refused for money': [counts.refusedForMoney, { atLeast: some }],
      'sends that were repeated and told the first answer': [counts.repeats, { atLeast: some }],
      'keys and references used for something else': [counts.conflicts, { atLeast: some }],
      'faults: kills, stops, and cuts of connections': [countFaults(run.faults), { atLeast: faults.atLeast }],
      'reads checked': [counts.reads, { atLeast: operations / 3 }],
      'of them, balances': counts.balances,
      'submissions seen by the carrier': [counts.taken, { atLeast: operations / 10 }],
      'violations: balances and payments': [wrong.bank, bad],
      'violations: ledgers': [wrong.ledger, bad],
      'violations: keys and references': [wrong.keys, bad],
      'violations: statuses of messages': [wrong.statuses, bad],
      'violations: messages and submissions of a request': [wrong.once, bad],
    })
  })
})

/** Keeps the history, so that it can be looked at and checked again. */
function report(history: History, violations: readonly Violation[]): void {
  const file = join(tmpdir(), `wigwag-history-${history.seed}.json`)
  writeHistory(file, history)
  console.error(
    `${inWords(violations)}\nTo check it again: node packages/server/test/torture/histories/recheck.ts ${file}`,
  )
}
