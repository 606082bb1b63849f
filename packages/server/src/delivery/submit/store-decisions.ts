import type { Ticket } from '../../domain/ids.ts'
import type { Backlog } from '../../platform/backlog.ts'
import { createBatcher, type Outcome, storeHalving } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import { CommitUncertain, type Database, type Tx } from '../../platform/database/database.ts'
import { type Due, dueOf } from '../../platform/jobs/claim.ts'
import { type LaneName, lastClaimsOf } from '../../platform/jobs/outbox.ts'
import { type EndMessages, failedTickets } from '../finish/end-messages.ts'
import type { Ending } from '../finish/endings.ts'
import type { TakeVerdicts } from '../finish/receipts.ts'
import { storeTaken } from './costs.ts'
import { type Decision, rescheduleMessages } from './steps.ts'

export interface StoreDecisionsOptions {
  database: Database
  clock: Clock
  endMessages: EndMessages
  /** Takes the verdicts that came before their references. */
  takeVerdicts: TakeVerdicts
  /** How long to gather decisions for one commit. */
  gatherMs: number
  /** Called when jobs of a lane were rescheduled. */
  notify(lane: LaneName, jobs: readonly Due[]): void
  backlog?: Pick<Backlog, 'add'> | undefined
  onFault(error: unknown): void
}

const MOST_TOGETHER = 512
/** How long a carrier's answer is kept in memory while it cannot be stored: it cannot be learnt again. */
const KEEP_TRYING_MS = 5 * 60_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

/** Stores a decision. With `firmly`, tries again for a while when that fails. */
export type StoreDecision = (decision: Decision, options?: { firmly: boolean }) => Promise<void>

export interface DecisionStore {
  store: StoreDecision
  /** Gives up trying again, and resolves when what is under way is stored or lost. */
  finish(): Promise<void>
}

/** Stores decisions about messages. Those that are made together are committed together. */
export function createStoreDecisions(options: StoreDecisionsOptions): DecisionStore {
  const { database, clock, endMessages, takeVerdicts, gatherMs, notify, backlog, onFault } = options
  const together = {
    weigh: () => 1,
    maxWeight: MOST_TOGETHER,
    gatherMs,
    backlog,
    maxWaiting: { weight: 100_000, error: () => new Error('too many decisions wait to be stored') },
  }

  const store = createBatcher<Decision, void>({ ...together, run: storeHalving(storeAll) })
  /** Those that may be stored already, because the answer to a commit was lost. */
  const inDoubt = new WeakSet<Decision>()

  async function storeAll(decisions: readonly Decision[]): Promise<void> {
    const steps = decisions.flatMap((each) => ('step' in each ? [each.step] : []))
    const now = clock.now()
    const work = async (tx: Tx) => {
      await rescheduleMessages(tx, steps)
      const forgotten = await storedAndForgotten(tx, decisions)
      const taken = decisions.filter(({ refs }) => refs && !forgotten.has(refs.ticket))
      return storeTaken(tx, taken, now)
    }
    const { early } = await database.write(work, { patient: true }).catch((error: unknown) => {
      if (error instanceof CommitUncertain) for (const each of decisions) inDoubt.add(each)
      throw error
    })
    for (const [first, ...others] of Map.groupBy(steps, ({ kind, lane }) => `${kind}/${lane}`).values())
      if (first) notify(first, [first, ...others].map(dueOf))
    // Their receipts were acknowledged long ago. If this fails, the message's next look finds the verdicts.
    if (early.length > 0) await takeVerdicts(early).catch(onFault)
  }

  /** Messages in doubt that a receipt has ended: it found their references, so these were stored. */
  async function storedAndForgotten(tx: Tx, decisions: readonly Decision[]): Promise<Set<Ticket>> {
    const tickets = decisions.flatMap((each) => (each.refs && inDoubt.has(each) ? [each.refs.ticket] : []))
    const left = await lastClaimsOf(tx, tickets)
    return new Set(tickets.filter((ticket) => !left.has(ticket)))
  }

  const end = createBatcher<Ending, void>({
    ...together,
    async run(endings) {
      const failed = await endMessages(endings).catch(failedTickets)
      return endings.map(
        ({ ticket }): Outcome<void> =>
          failed?.tickets.has(ticket) ? { error: failed } : { value: undefined },
      )
    },
  })

  let finishing = false
  /** Ends the pauses between tries. */
  const pauses = new Set<() => void>()
  const underWay = new Set<Promise<void>>()

  async function keepTrying(work: () => Promise<void>, firmly: boolean): Promise<void> {
    const startedAt = clock.elapsed()
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        return await work()
      } catch (error) {
        if (!firmly || finishing || clock.elapsed() - startedAt > KEEP_TRYING_MS) throw error
        if (pause === FIRST_PAUSE_MS) onFault(error)
        await rest(pause)
      }
    }
  }

  function rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        pauses.delete(end)
        resolve()
      }
      pauses.add(end)
      clock.after(ms, end)
    })
  }

  async function storeNow(decision: Decision, firmly: boolean): Promise<void> {
    if ('step' in decision || decision.refs) await keepTrying(() => store(decision), firmly)
    if ('ending' in decision) await keepTrying(() => end(decision.ending), firmly)
  }

  return {
    async store(decision, { firmly } = { firmly: false }) {
      const storing = storeNow(decision, firmly)
      underWay.add(storing)
      try {
        await storing
      } finally {
        underWay.delete(storing)
      }
    },
    async finish() {
      finishing = true
      for (const end of pauses) end()
      await Promise.allSettled(underWay)
    },
  }
}
