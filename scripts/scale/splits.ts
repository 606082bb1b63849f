import type { Row } from '../bench/row.ts'
import { fixed, perSecond } from './figures.ts'
import { FULL, walletCapacity } from './paper.ts'
import { type Model, type Simulated, simulate } from './simulate.ts'

/** One customer with much to send: many gateways and a database with room, so that the wallet's row is the limit. */
const LARGE = {
  processors: { gateway: 1, database: 32 },
  gateways: 8,
  connections: 1_024,
  paidBy: 'gateway',
  seconds: 1.5,
} as const
const SLICES = [2, 4, 8]
const AT_TWO = '  the same, all of its clients at two gateways'
const STANDBY_MS = [10, 80]
/** Where commits take long, much time passes before as much ends as is accepted. */
const LONG_SECONDS = 10

/**
 * One customer's money in one row, and in several. Gives also what contradicts the formulas: then one of the two is
 * wrong.
 */
export function splits(
  base: Omit<Model, 'processors' | 'connections' | 'wallets'>,
  commitUs: number,
): { rows: Row[]; broken: string[] } {
  const rows: Row[] = []
  const broken: string[] = []
  const check = (what: string, figure: number, goal: string, holds: boolean) => {
    rows.push({ what, figure: fixed(figure, 2), goal })
    if (!holds) broken.push(`${what.trim()}: ${figure.toFixed(2)}`)
  }
  const run = (wallets: number, more: Partial<Model> = {}): Simulated =>
    simulate({ ...base, ...LARGE, wallets, ...more })

  const one = run(1)
  rows.push(told('one customer, 8 gateways, 32 processors of PostgreSQL, one wallet, simulated', one))
  checkFormula(one, commitUs)
  rows.push(told(AT_TWO, run(1, { gateways: 2 })))
  for (const slices of SLICES) {
    const split = run(slices)
    rows.push(told(`  in ${slices} slices, each gateway pays from one`, split))
    check('  by one wallet', through(split) / through(one), '≥ 1', isMore(split, one))
  }
  const spread = run(8, { paidBy: 'turn' })
  rows.push(told('  in 8 slices, messages in turn, so that each batch locks all', spread))
  check('  by one wallet', through(spread) / through(one), '', true)
  for (const ms of STANDBY_MS) {
    const standbyUs = ms * 1_000
    const far = { standbyUs, seconds: LONG_SECONDS }
    const away = run(1, far)
    rows.push(told(`  one wallet, a standby ${ms} ms away and back`, away))
    checkFormula(away, commitUs + standbyUs)
    rows.push(told(AT_TWO, run(1, { ...far, gateways: 2 })))
    const split = run(8, far)
    rows.push(told(`  in 8 slices, a standby ${ms} ms away and back`, split))
    check('  by one wallet', through(split) / through(away), '≥ 1', isMore(split, away))
  }
  return { rows, broken }

  /** The formula says the most that one row can do with batches as large as they can be. */
  function checkFormula(simulated: Simulated, waitUs: number): void {
    const part = through(simulated) / walletCapacity({ costs: base.costs, commitUs: waitUs }, FULL)
    check('  by the formula for full batches', part, '≤ 1', part <= 1)
  }
}

/** What goes in and comes out. For a while, one of them may be more than can last. */
function through({ acceptsPerSecond, finalsPerSecond }: Simulated): number {
  return Math.min(acceptsPerSecond, finalsPerSecond)
}

/** Batches differ a little from run to run. */
function isMore(split: Simulated, one: Simulated): boolean {
  return through(split) >= 0.98 * through(one)
}

function told(what: string, simulated: Simulated): Row {
  const { acceptsPerSecond, finalsPerSecond, p99Ms, acceptBatch, finishBatch, lockWaitMs } = simulated
  const batches = `batches of ${fixed(acceptBatch, 0)} and ${fixed(finishBatch, 0)}`
  return {
    what,
    figure: `${perSecond(finalsPerSecond)} final, ${perSecond(acceptsPerSecond)} accepted, p99 ${fixed(p99Ms, 0)} ms, ${batches}, row waited for ${fixed(lockWaitMs, 1)} ms`,
    goal: '',
  }
}
