import { createBatcher, type Outcome } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Database, StoreUnavailable } from '../../platform/database/database.ts'
import { type NextStep, reschedule } from '../../platform/jobs/outbox.ts'
import type { Ending } from '../finish/endings.ts'
import { type Finalize, failedTickets } from '../finish/finalize.ts'
import type { TakeVerdicts } from '../finish/receipts.ts'
import { storeRefs } from '../finish/refs.ts'
import { addCosts } from './costs.ts'
import type { LateSteps } from './late-steps.ts'
import type { Decision } from './steps.ts'

export interface SettleOptions {
  database: Database
  clock: Clock
  finalize: Finalize
  lateSteps: LateSteps
  /** Takes the verdicts that came before their references. */
  takeVerdicts: TakeVerdicts
  /** How long to gather decisions for one commit. */
  gatherMs: number
  /** Called when jobs of a lane were rescheduled. */
  wake(kind: NextStep['kind'], lane: string): void
  onFault(error: unknown): void
}

const MOST_TOGETHER = 512
/** How long a carrier's answer is kept in memory while it cannot be stored: it cannot be learnt again. */
const KEEP_TRYING_MS = 5 * 60_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

/** Stores a decision. With `firmly`, tries again for a while when that fails. */
export type Settle = (decision: Decision, options?: { firmly: boolean }) => Promise<void>

export interface Settling {
  settle: Settle
  /** Gives up trying again, and resolves when what is under way is stored or lost. */
  finish(): Promise<void>
}

/** Stores decisions about messages. Those that are made together are committed together. */
export function createSettle(options: SettleOptions): Settling {
  const { database, clock, finalize, lateSteps, takeVerdicts, gatherMs, wake, onFault } = options
  const together = {
    weigh: () => 1,
    maxWeight: MOST_TOGETHER,
    gatherMs,
    maxWaiting: { weight: 100_000, error: () => new Error('too many decisions wait to be stored') },
  }

  const store = createBatcher<Decision, void>({ ...together, run: storeEach })

  /** Halves a batch until what cannot be stored is alone. */
  async function storeEach(decisions: readonly Decision[]): Promise<Outcome<void>[]> {
    try {
      await storeAll(decisions)
      return decisions.map(() => ({ value: undefined }))
    } catch (error) {
      if (decisions.length === 1 || error instanceof StoreUnavailable) return decisions.map(() => ({ error }))
      const middle = decisions.length >> 1
      return [...(await storeEach(decisions.slice(0, middle))), ...(await storeEach(decisions.slice(middle)))]
    }
  }

  async function storeAll(decisions: readonly Decision[]): Promise<void> {
    const steps = decisions.flatMap((each) => ('step' in each && !each.late ? [each.step] : []))
    const refs = decisions.flatMap((each) => each.refs ?? [])
    const costs = decisions.flatMap((each) => each.cost ?? [])
    const now = clock.now()
    const early = await database.write(
      async (tx) => {
        await reschedule(tx, steps)
        await addCosts(tx, costs)
        return storeRefs(tx, refs, now)
      },
      { patient: true },
    )
    const lanes = new Map(steps.map((each) => [`${each.kind}/${each.lane}`, each]))
    for (const { kind, lane } of lanes.values()) wake(kind, lane)
    // Their receipts were acknowledged long ago. If this fails, the message's next look finds the verdicts.
    if (early.length > 0) await takeVerdicts(early).catch(onFault)
  }

  const end = createBatcher<Ending, void>({
    ...together,
    async run(endings) {
      const failed = await finalize(endings).catch(failedTickets)
      return endings.map(
        ({ ticket }): Outcome<void> =>
          failed?.tickets.has(ticket) ? { error: failed } : { value: undefined },
      )
    },
  })

  let finishing = false
  const underWay = new Set<Promise<void>>()

  async function keepTrying(work: () => Promise<void>, firmly: boolean): Promise<void> {
    const startedAt = clock.elapsed()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        if (!firmly || finishing || clock.elapsed() - startedAt > KEEP_TRYING_MS) throw error
        if (pause === FIRST_PAUSE_MS) onFault(error)
        await new Promise<void>((resolve) => clock.after(pause, resolve))
      }
    }
  }

  async function settleNow(decision: Decision, firmly: boolean): Promise<void> {
    const isLate = 'step' in decision && decision.late === true
    if (isLate) lateSteps.add([decision.step])
    if (('step' in decision && !isLate) || decision.refs || decision.cost)
      await keepTrying(() => store(decision), firmly)
    if ('ending' in decision) await keepTrying(() => end(decision.ending), firmly)
  }

  return {
    async settle(decision, { firmly } = { firmly: false }) {
      const settling = settleNow(decision, firmly)
      underWay.add(settling)
      try {
        await settling
      } finally {
        underWay.delete(settling)
      }
    },
    async finish() {
      finishing = true
      await Promise.allSettled(underWay)
    },
  }
}
