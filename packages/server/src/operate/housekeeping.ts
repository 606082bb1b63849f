import { pruneKeys, pruneRefusals } from '../accounts/index.ts'
import { pruneInvitations } from '../accounts/people/index.ts'
import {
  type Connections,
  pruneClients,
  pruneDelegatedTokens,
  pruneJournal,
  pruneRecords,
} from '../assistants/index.ts'
import { pruneDeliveries, pruneOrphans, pruneRefs } from '../delivery/index.ts'
import { pruneTraces } from '../flow/observe/tracing.ts'
import type { Parts } from '../flow/parts.ts'
import { type EpochMs, epochMs } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Metrics } from '../kernel/process/metrics.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type Retention } from '../kernel/time/spans.ts'
import { pruneReplies, pruneSchedulers } from '../messages/sending/index.ts'
import { pruneChallenges, pruneLinks, pruneWrongCodes } from '../sign-in/factors/index.ts'
import { pruneOperatorSessions } from '../sign-in/operators/index.ts'
import { pruneAttempts, pruneSessions } from '../sign-in/portal/index.ts'
import { pruneFailures } from '../store/audit/index.ts'
import type { Database, Tx } from '../store/database.ts'
import type { Step } from '../store/slices.ts'
import { pruneAccountAlerts, SHOWN_MS } from './alerts/index.ts'
import { retentionTasks } from './privacy/index.ts'

const KEEP_KEYS_MS = DAY_MS
const KEEP_ATTEMPTS_MS = HOUR_MS
/** Until then a form that is posted again is told that the key was replaced. */
const KEEP_ENDED_KEYS_MS = DAY_MS
const KEEP_FAILURES_MS = 90 * DAY_MS
const KEEP_REFUSALS_MS = 7 * DAY_MS
const KEEP_DELIVERIES_MS = 90 * DAY_MS
/** A receipt whose reference has not come by now belongs to no message. */
const KEEP_ORPHANS_MS = HOUR_MS
/** How long a receipt may come after its message has ended without one. */
const KEEP_REFS_MS = 3 * DAY_MS

/** Early, so that a gateway that is often restarted still deletes something. */
const FIRST_MS = MINUTE_MS
/** Matters only to idempotency keys, which count until they are deleted. All other rules check the time in the row. */
const EVERY_MS = HOUR_MS
/** Steps of one task in a turn. If it has more to do, it goes on once the others have had theirs. */
const MOST_STEPS = 200
/** After a step, housekeeping pauses several times as long as the step took, and at least this long. */
const RESTS = 4
const REST_MS = 5

interface Own {
  /** The real time, by which operators' sessions end: a sandbox's clock may be moved. */
  realNow(): EpochMs
  connections: Pick<Connections, 'endUnreachable'>
  retain: Retention
  onFault(error: unknown): void
  /** Steps of one task in a turn; 200 when left out. */
  mostSteps?: number
}

/** Deletes rows that are no longer needed, in slices. */
export class Housekeeping {
  readonly #database: Database
  readonly #clock: Clock
  readonly #own: Own
  readonly #orphaned: ReturnType<Metrics['counter']>
  #unfinished: Step[] = []
  #stopped = false
  #waiting = false
  #wake = () => {}
  #ended: Promise<void> | undefined

  constructor({ database, clock, metrics }: Pick<Parts, 'database' | 'clock' | 'metrics'>, own: Own) {
    this.#database = database
    this.#clock = clock
    this.#own = own
    this.#orphaned = metrics.counter(
      'wigwag_receipts_orphaned_total',
      'This process: receipts that were deleted because they belong to no message.',
    )
  }

  start(): void {
    this.#ended = this.#runAgain()
  }

  /** Whether it waits for its next step, or has been stopped. */
  idle(): boolean {
    return this.#ended === undefined || this.#stopped || this.#waiting
  }

  /** Resolves when the step under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#wake()
    await this.#ended
  }

  async #runAgain(): Promise<void> {
    await this.#wait(FIRST_MS)
    while (!this.#stopped) await this.#wait((await this.#run()) ? REST_MS : EVERY_MS)
  }

  /** Runs the unfinished tasks or, if none is left, all of them. Returns whether there is more to do. */
  async #run(): Promise<boolean> {
    const steps = this.#unfinished.length > 0 ? this.#unfinished : this.#tasks()
    this.#unfinished = []
    for (const step of steps) if (await this.#finish(step)) this.#unfinished.push(step)
    return this.#unfinished.length > 0
  }

  /**
   * Runs a task until it is done or has used up its steps. Returns whether there is more to do. Leaves a failed step to
   * the next hour: its cause, such as a database that is away, may last.
   */
  async #finish(step: Step): Promise<boolean> {
    const { onFault, mostSteps = MOST_STEPS } = this.#own
    try {
      for (let steps = 0; steps < mostSteps && !this.#stopped; steps++) {
        const startedAt = this.#clock.elapsed()
        if (!(await step())) return false
        await this.#wait(Math.max(REST_MS, RESTS * (this.#clock.elapsed() - startedAt)))
      }
      return true
    } catch (error) {
      onFault(error)
      return false
    }
  }

  async #wait(ms: number): Promise<void> {
    if (this.#stopped) return
    await new Promise<void>((resolve) => {
      this.#waiting = true
      const cancel = this.#clock.after(ms, () => this.#wake())
      this.#wake = () => {
        this.#waiting = false
        cancel()
        resolve()
      }
    })
  }

  #tasks(): Step[] {
    const database = this.#database
    const clock = this.#clock
    const { connections, retain } = this.#own
    const now = clock.now()
    const realNow = this.#own.realNow()
    const orphans = async (tx: Tx, before: EpochMs) => {
      const { pruned, more } = await pruneOrphans(tx, before)
      this.#orphaned.inc(pruned)
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
      prune(pruneRefusals, epochMs(now - KEEP_REFUSALS_MS)),
      prune(pruneDeliveries, epochMs(now - KEEP_DELIVERIES_MS)),
      prune(pruneAccountAlerts, epochMs(now - SHOWN_MS)),
      prune(pruneDelegatedTokens),
      prune(pruneTraces),
      prune(pruneRecords),
      prune(orphans, epochMs(now - KEEP_ORPHANS_MS)),
      pruneRefs(database, epochMs(now - KEEP_REFS_MS)),
      pruneClients(database, now),
      connections.endUnreachable(),
      ...retentionTasks({ database, clock }, retain),
    ]
  }
}
