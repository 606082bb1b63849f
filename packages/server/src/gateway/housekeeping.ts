import type { Clock } from '../clock.ts'
import { type EpochMs, epochMs } from '../domain/ids.ts'
import { pruneFailures } from '../store/audit.ts'
import { pruneJournal } from '../store/connector-journal.ts'
import type { Connection, Database } from '../store/database.ts'
import { pruneDelegatedTokens } from '../store/delegated-tokens.ts'
import { pruneReplies } from '../store/idempotency.ts'
import { pruneClients, pruneRecords } from '../store/oauth-records.ts'
import { pruneSessions } from '../store/portal.ts'
import { pruneAttempts } from '../store/sign-in-attempts.ts'
import type { Step } from '../store/slices.ts'
import type { Connections } from './connections.ts'

const AN_HOUR_MS = 3_600_000
const KEEP_KEYS_MS = 24 * AN_HOUR_MS
const KEEP_ATTEMPTS_MS = AN_HOUR_MS
const KEEP_FAILURES_MS = 90 * 24 * AN_HOUR_MS

/** Early, so that a gateway that is restarted often deletes something too. */
const FIRST_MS = 60_000
/** Only a key depends on this: it counts until it is deleted. Every other rule reads the time in the row. */
const EVERY_MS = AN_HOUR_MS
/** One task does at most so many steps in a run, so that the others get their turn; the next run then starts soon. */
const MOST_STEPS = 200
const SOON_MS = 10_000
/** After a step the database is free for requests for as long as the step took, and at least this long. */
const REST_MS = 5

export interface HousekeepingOptions {
  database: Database
  clock: Clock
  connections: Pick<Connections, 'endUnreachable'>
  onFault(error: unknown): void
}

export interface Housekeeping {
  /** Whether it waits for its next step, or has been stopped. */
  idle(): boolean
  /** Resolves when the step under way is done. */
  stop(): Promise<void>
}

/** Deletes what is no longer needed, slice by slice and one run after the other. */
export function startHousekeeping(options: HousekeepingOptions): Housekeeping {
  const { clock, onFault } = options
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

  /** Says whether there is more to do. */
  async function finish(step: Step): Promise<boolean> {
    for (let steps = 0; steps < MOST_STEPS && !stopped; steps++) {
      const startedAt = clock.elapsed()
      if (!(await step())) return false
      await wait(Math.max(REST_MS, clock.elapsed() - startedAt))
    }
    return true
  }

  let unfinished: Step[] = []

  /** Says whether there is more to do: then the next run goes on with it. */
  async function run(): Promise<boolean> {
    const steps = unfinished.length > 0 ? unfinished : tasks(options)
    unfinished = []
    for (const step of steps) if (await finish(step).catch(onFault)) unfinished.push(step)
    return unfinished.length > 0
  }

  async function keepHouse(): Promise<void> {
    await wait(FIRST_MS)
    while (!stopped) await wait((await run()) ? SOON_MS : EVERY_MS)
  }
  const ended = keepHouse()

  return {
    idle: () => stopped || waiting,
    stop() {
      stopped = true
      wake()
      return ended
    },
  }
}

function tasks({ database, clock, connections }: HousekeepingOptions): Step[] {
  const now = clock.now()
  const prune =
    (slice: (connection: Connection, time: EpochMs) => Promise<boolean>, time = now): Step =>
    () =>
      database.write((connection) => slice(connection, time), { patient: true })
  return [
    prune(pruneReplies, epochMs(now - KEEP_KEYS_MS)),
    prune(pruneJournal),
    prune(pruneSessions),
    prune(pruneAttempts, epochMs(now - KEEP_ATTEMPTS_MS)),
    prune(pruneFailures, epochMs(now - KEEP_FAILURES_MS)),
    prune(pruneDelegatedTokens),
    prune(pruneRecords),
    pruneClients(database, now),
    connections.endUnreachable(),
  ]
}
