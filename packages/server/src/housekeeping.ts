import { pruneKeys } from './accounts/index.ts'
import {
  type Connections,
  pruneClients,
  pruneDelegatedTokens,
  pruneJournal,
  pruneRecords,
} from './assistants/index.ts'
import { pruneFailures } from './audit/index.ts'
import { pruneOrphans, pruneRefs } from './delivery/index.ts'
import { type EpochMs, epochMs } from './domain/ids.ts'
import { pruneChallenges, pruneLinks, pruneWrongCodes } from './factors/index.ts'
import { pruneOperatorSessions } from './operators/index.ts'
import { pruneInvitations } from './people/index.ts'
import type { Clock } from './platform/clock.ts'
import type { Database, Tx } from './platform/database/database.ts'
import type { Step } from './platform/database/slices.ts'
import type { Metrics } from './platform/metrics.ts'
import { pruneTraces } from './platform/observe/trace-rows.ts'
import { pruneAttempts, pruneSessions } from './portal/index.ts'
import { type RetentionOptions, retentionTasks } from './privacy/index.ts'
import { pruneReplies, pruneSchedulers } from './sending/index.ts'

const AN_HOUR_MS = 3_600_000
const KEEP_KEYS_MS = 24 * AN_HOUR_MS
const KEEP_ATTEMPTS_MS = AN_HOUR_MS
/** Until then a form that is posted again is told that the key was replaced. */
const KEEP_ENDED_KEYS_MS = 24 * AN_HOUR_MS
const KEEP_FAILURES_MS = 90 * 24 * AN_HOUR_MS
/** A receipt whose reference has not come by now belongs to no message. */
const KEEP_ORPHANS_MS = AN_HOUR_MS
/** How long a receipt may come after its message has ended without one. */
const KEEP_REFS_MS = 72 * AN_HOUR_MS

/** Early, so that a gateway that is often restarted still deletes something. */
const FIRST_MS = 60_000
/** Matters only to idempotency keys, which count until they are deleted. All other rules check the time in the row. */
const EVERY_MS = AN_HOUR_MS
/** Steps of one task in a turn. If it has more to do, it goes on once the others have had theirs. */
const MOST_STEPS = 200
/** After a step, housekeeping pauses several times as long as the step took, and at least this long. */
const RESTS = 4
const REST_MS = 5

export interface HousekeepingOptions {
  database: Database
  clock: Clock
  /** The real time, by which operators' sessions end: a sandbox's clock may be moved. */
  realNow(): EpochMs
  connections: Pick<Connections, 'endUnreachable'>
  metrics: Pick<Metrics, 'counter'>
  retain: RetentionOptions['retain']
  onFault(error: unknown): void
  /** Steps of one task in a turn; 200 when left out. */
  mostSteps?: number
}

export interface Housekeeping {
  start(): void
  /** Whether it waits for its next step, or has been stopped. */
  idle(): boolean
  /** Resolves when the step under way is done. */
  stop(): Promise<void>
}

/** Deletes rows that are no longer needed, in slices. */
export function createHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { clock, metrics, onFault, mostSteps = MOST_STEPS } = options
  const orphaned = metrics.counter(
    'wigwag_receipts_orphaned_total',
    'This process: receipts that were deleted because they belong to no message.',
  )
  let stopped = false
  let waiting = false
  let wake = () => {}

  async function wait(ms: number): Promise<void> {
    if (stopped) return
    await new Promise<void>((resolve) => {
      waiting = true
      const cancel = clock.after(ms, () => wake())
      wake = () => {
        waiting = false
        cancel()
        resolve()
      }
    })
  }

  /** Runs a task until it is done or has used up its steps. Returns whether there is more to do. */
  async function finish(step: Step): Promise<boolean> {
    for (let steps = 0; steps < mostSteps && !stopped; steps++) {
      const startedAt = clock.elapsed()
      if (!(await step())) return false
      await wait(Math.max(REST_MS, RESTS * (clock.elapsed() - startedAt)))
    }
    return true
  }

  let unfinished: Step[] = []

  /** Runs the unfinished tasks or, if none is left, all of them. Returns whether there is more to do. */
  async function run(): Promise<boolean> {
    const steps = unfinished.length > 0 ? unfinished : tasks(options, (pruned) => orphaned.inc(pruned))
    unfinished = []
    for (const step of steps) if (await finish(step).catch(failed)) unfinished.push(step)
    return unfinished.length > 0
  }

  /** What failed is left to the next hour: its cause, such as a database that is away, may last. */
  function failed(error: unknown): false {
    onFault(error)
    return false
  }

  async function runAgain(): Promise<void> {
    await wait(FIRST_MS)
    while (!stopped) await wait((await run()) ? REST_MS : EVERY_MS)
  }
  let ended: Promise<void> | undefined

  return {
    start() {
      ended = runAgain()
    },
    idle: () => ended === undefined || stopped || waiting,
    async stop() {
      stopped = true
      wake()
      await ended
    },
  }
}

function tasks(options: HousekeepingOptions, countOrphans: (pruned: number) => void): Step[] {
  const { database, clock, connections } = options
  const now = clock.now()
  const realNow = options.realNow()
  const orphans = async (tx: Tx, before: EpochMs) => {
    const { pruned, more } = await pruneOrphans(tx, before)
    countOrphans(pruned)
    return more
  }
  const prune =
    (slice: (tx: Tx, time: EpochMs) => Promise<boolean>, time = now): Step =>
    () =>
      database.write((tx) => slice(tx, time), { patient: true })
  return [
    prune(pruneReplies, epochMs(now - KEEP_KEYS_MS)),
    prune(pruneJournal),
    prune(pruneSchedulers),
    prune(pruneSessions, realNow),
    prune(pruneInvitations, realNow),
    prune(pruneOperatorSessions, realNow),
    prune(pruneLinks, realNow),
    prune(pruneChallenges, realNow),
    prune(pruneWrongCodes, realNow),
    prune(pruneKeys, epochMs(now - KEEP_ENDED_KEYS_MS)),
    prune(pruneAttempts, epochMs(realNow - KEEP_ATTEMPTS_MS)),
    prune(pruneFailures, epochMs(now - KEEP_FAILURES_MS)),
    prune(pruneDelegatedTokens),
    prune(pruneTraces),
    prune(pruneRecords),
    prune(orphans, epochMs(now - KEEP_ORPHANS_MS)),
    pruneRefs(database, epochMs(now - KEEP_REFS_MS)),
    pruneClients(database, now),
    connections.endUnreachable(),
    ...retentionTasks(options),
  ]
}
