import type { EpochMs } from '../../domain/ids.ts'
import type { Retention } from '../../domain/retention.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Database, Tx } from '../../platform/database/database.ts'
import { lanesWithJobs, leaveLane } from '../../platform/jobs/lanes.ts'
import type { JobKind } from '../../platform/jobs/outbox.ts'
import type { Logger } from '../../platform/log.ts'
import type { Fleet } from '../fleet.ts'
import { type CarrierPlan, PlanError, placeOf, routingOf } from '../plan/index.ts'
import {
  type CarrierLine,
  type CarrierReport,
  carrierReports,
  REPORT_MS,
  readRequests,
  removeReport,
  writeReport,
} from './switches.ts'

export interface ControlOptions {
  database: Database
  clock: Clock
  log: Logger
  fleet: Fleet
  /** How many reloads had been asked for before the plan was read. */
  reloads: number
  readPlan(): CarrierPlan
  /** Names this process among those that share the database. */
  process: { id: string } & Pick<CarrierReport, 'name' | 'version' | 'schema' | 'secrets' | 'startedAt'>
  pollMs: number
  retain: Retention
  /** Called when jobs have moved to the lane of their kind that has no name. */
  onStranded(kind: JobKind): void
  onFault(error: unknown): void
}

export interface Control {
  start(): void
  /** The plan by which this process works. */
  inForce(): PlanInForce
  /** Reads the carriers' file again. If it has problems, they are logged and reported, and nothing changes. */
  reload(): Promise<void>
  /** Whether it waits for its next look. */
  idle(): boolean
  stop(): Promise<void>
}

/** What the carriers' file said when it was last read without problems. */
export interface PlanInForce {
  plan: CarrierPlan
  since: EpochMs
}

/** How often jobs are looked for that wait for carriers which no longer exist, and how long they are left alone. */
const STRANDED_MS = 30_000
/** How often receipts without a message are looked at. */
const MATCH_MS = 10_000

/** Does what operators ask of the carriers, and reports how they are. */
export function createControl(options: ControlOptions): Control {
  const { database, clock, log, fleet, process, pollMs, onStranded, onFault } = options
  let { reloads } = options
  let since = clock.now()
  /** The carriers could not all be opened or closed. */
  let isUnfinished = false
  let problems: readonly string[] = []
  let strandedAt = -Infinity
  let matchedAt = -Infinity
  let written = { text: '', at: -Infinity }
  let stopped = false
  let working: Promise<void> = Promise.resolve()
  let tasks = 0
  let cancel = () => {}

  async function poll(): Promise<void> {
    const requests = await database.read(readRequests)
    fleet.pause(new Set(requests.paused.keys()))
    if (requests.reloads !== reloads || isUnfinished) {
      reloads = requests.reloads
      await readAgain()
    }
    // By a clock that is never set back.
    const at = clock.elapsed()
    if (at - strandedAt >= STRANDED_MS) {
      strandedAt = at
      await findStranded(clock.now())
    }
    if (at - matchedAt >= MATCH_MS) {
      matchedAt = at
      await fleet.matchReceipts()
    }
    await report(at)
  }

  async function readAgain(): Promise<void> {
    isUnfinished = true
    try {
      const next = options.readPlan()
      since = clock.now()
      await fleet.apply(next)
      isUnfinished = false
      problems = []
      log.info({ carriers: [...next.carriers.keys()] }, 'the carriers were read again')
    } catch (error) {
      if (!(error instanceof PlanError)) {
        problems = ['an unexpected error, so this is tried again: the log of the gateway says more']
        onFault(error)
        return
      }
      isUnfinished = false
      problems = error.problems
      log.error({ problems }, 'the carriers were not changed, because their file has problems')
    }
  }

  /** Gives jobs that wait for a carrier which no process knows to the lanes that have no carrier. */
  async function findStranded(now: EpochMs): Promise<void> {
    const reports = await database.read((tx) => carrierReports(tx, now))
    const known = new Set(reports.flatMap(({ carriers }) => carriers.map(({ carrier }) => carrier)))
    for (const name of fleet.plan().carriers.keys()) known.add(name)
    for (const kind of ['dispatch', 'await'] as const) {
      const lanes = await database.read((tx) => lanesWithJobs(tx, kind))
      for (const lane of lanes.filter((name) => !known.has(name))) {
        const slice = (tx: Tx) => leaveLane(tx, { kind, lane }, { now, dueBy: now - STRANDED_MS })
        while (await database.write(slice, { patient: true }));
        onStranded(kind)
      }
    }
  }

  const loggedUnreadable = new Map<string, number>()

  function logUnreadable({ carrier, unreadable }: CarrierLine): void {
    const receipts = unreadable - (loggedUnreadable.get(carrier) ?? 0)
    loggedUnreadable.set(carrier, unreadable)
    if (receipts > 0) log.warn({ carrier, receipts }, 'receipts of a carrier could not be read')
  }

  async function report(at: number): Promise<void> {
    const lines = [...fleet.all()].map(({ carrier, settings, paused, since }): CarrierLine => {
      const place = placeOf(settings)
      return { carrier: carrier.name, place, paused, since, capacity: carrier.capacity(), ...carrier.state() }
    })
    for (const line of lines) logUnreadable(line)
    const { warnings } = fleet.plan()
    const { id, ...about } = process
    const said: CarrierReport = {
      ...about,
      routing: routingOf(fleet.plan()),
      reload: reloads,
      since,
      problems,
      warnings,
      carriers: lines,
      retain: options.retain,
    }
    const text = JSON.stringify(said)
    if (text === written.text && at - written.at < REPORT_MS) return
    await database.write((tx) => writeReport(tx, id, text, clock.now()), { patient: true })
    written = { text, at }
  }

  function soon(ms: number): void {
    if (stopped) return
    cancel = clock.after(ms, () => void inTurn(poll).then(() => soon(pollMs)))
  }

  /** One task at a time: two that changed the carriers together would open or close one twice. */
  function inTurn(task: () => Promise<void>): Promise<void> {
    tasks++
    working = working
      .then(task)
      .catch(onFault)
      .finally(() => {
        tasks--
      })
    return working
  }

  return {
    start: () => soon(0),
    inForce: () => ({ plan: fleet.plan(), since }),
    /** Not once it stops: a carrier that opens then would never close. */
    reload: async () => {
      if (!stopped) await inTurn(readAgain)
    },
    idle: () => tasks === 0,
    async stop() {
      stopped = true
      cancel()
      await working
      await database.write((tx) => removeReport(tx, process.id)).catch(onFault)
    },
  }
}
