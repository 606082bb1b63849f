import { lanesWithJobs, leaveLane } from '../../flow/jobs/lanes.ts'
import type { JobKind } from '../../flow/jobs/outbox.ts'
import type { Parts } from '../../flow/parts.ts'
import type { EpochMs } from '../../kernel/ids.ts'
import type { Retention } from '../../kernel/time/spans.ts'
import type { Tx } from '../../store/database.ts'
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
import { Throttling } from './throttling.ts'

/** The shared parts, and what the wiring adds. */
type Fitted = Pick<Parts, 'database' | 'clock' | 'log'> & {
  fleet: Pick<Fleet, 'plan' | 'apply' | 'pause' | 'all' | 'matchReceipts'>
  /** How many reloads had been asked for before the plan was read. */
  reloads: number
  readPlan(): CarrierPlan
  /** Names this process among those that share the database. */
  process: { id: string } & Pick<CarrierReport, 'name' | 'version' | 'schema' | 'secrets' | 'startedAt'>
  pollMs: number
  /** How often jobs are looked for that wait for a carrier which no longer exists, and how long they are left alone. */
  strandedMs?: number | undefined
  retain: Retention
  /** Names of threads that ended by themselves within the hour. */
  endedThreads(): readonly string[]
  /** Called when jobs have moved to the lane of their kind that has no name. */
  onStranded(kind: JobKind): void
  onFault(error: unknown): void
}

/** The plan from the last time the carriers' file was read without problems. */
export interface PlanInForce {
  plan: CarrierPlan
  since: EpochMs
}

const STRANDED_MS = 30_000
/** How often receipts without a message are looked at. */
const MATCH_MS = 10_000

/** Does what operators ask of the carriers, and reports how they are. */
export class Control {
  readonly #parts: Fitted
  readonly #strandedMs: number
  #reloads: number
  #since: EpochMs
  /** The carriers could not all be opened or closed. */
  #isUnfinished = false
  #problems: readonly string[] = []
  #strandedAt = -Infinity
  #matchedAt = -Infinity
  #written = { text: '', at: -Infinity }
  readonly #loggedUnreadable = new Map<string, number>()
  #throttling = new Map<string, Throttling>()
  #stopped = false
  #working: Promise<void> = Promise.resolve()
  #tasks = 0
  #cancel = () => {}

  constructor(parts: Fitted) {
    this.#parts = parts
    this.#strandedMs = parts.strandedMs ?? STRANDED_MS
    this.#reloads = parts.reloads
    this.#since = parts.clock.now()
  }

  start(): void {
    this.#soon(0)
  }

  /** The plan by which this process works. */
  inForce(): PlanInForce {
    return { plan: this.#parts.fleet.plan, since: this.#since }
  }

  /**
   * Reads the carriers' file again. If it has problems, they are logged and reported, and nothing changes. Not once it
   * stops: a carrier that opens then would never close.
   */
  async reload(): Promise<void> {
    if (!this.#stopped) await this.#inTurn(() => this.#readAgain())
  }

  /** Whether it waits for its next look. */
  idle(): boolean {
    return this.#tasks === 0
  }

  async stop(): Promise<void> {
    const { database, process, onFault } = this.#parts
    this.#stopped = true
    this.#cancel()
    await this.#working
    await database.write((tx) => removeReport(tx, process.id)).catch(onFault)
  }

  #soon(ms: number): void {
    if (this.#stopped) return
    const { clock, pollMs } = this.#parts
    this.#cancel = clock.after(ms, () => void this.#inTurn(() => this.#poll()).then(() => this.#soon(pollMs)))
  }

  /** One task at a time: two that changed the carriers together would open or close one twice. */
  #inTurn(task: () => Promise<void>): Promise<void> {
    this.#tasks++
    this.#working = this.#working
      .then(task)
      .catch(this.#parts.onFault)
      .finally(() => {
        this.#tasks--
      })
    return this.#working
  }

  async #poll(): Promise<void> {
    const { database, clock, fleet } = this.#parts
    const requests = await database.read(readRequests)
    fleet.pause(new Set(requests.paused.keys()))
    if (requests.reloads !== this.#reloads || this.#isUnfinished) {
      this.#reloads = requests.reloads
      await this.#readAgain()
    }
    // By a clock that is never set back.
    const at = clock.elapsed()
    if (at - this.#strandedAt >= this.#strandedMs) {
      this.#strandedAt = at
      await this.#findStranded(clock.now())
    }
    if (at - this.#matchedAt >= MATCH_MS) {
      this.#matchedAt = at
      await fleet.matchReceipts()
    }
    await this.#report(at)
  }

  async #readAgain(): Promise<void> {
    const { clock, log, fleet, onFault } = this.#parts
    this.#isUnfinished = true
    try {
      const next = this.#parts.readPlan()
      this.#since = clock.now()
      await fleet.apply(next)
      this.#isUnfinished = false
      this.#problems = []
      log.info({ carriers: [...next.carriers.keys()] }, 'the carriers were read again')
    } catch (error) {
      if (!(error instanceof PlanError)) {
        this.#problems = ['an unexpected error, so this is tried again: the log of the gateway says more']
        onFault(error)
        return
      }
      this.#isUnfinished = false
      this.#problems = error.problems
      log.error(
        { problems: error.problems },
        'the carriers were not changed, because their file has problems',
      )
    }
  }

  /** Gives jobs that wait for a carrier which no process knows to the lanes that have no carrier. */
  async #findStranded(now: EpochMs): Promise<void> {
    const { database, fleet, onStranded } = this.#parts
    const reports = await database.read((tx) => carrierReports(tx, now))
    const known = new Set(reports.flatMap(({ carriers }) => carriers.map(({ carrier }) => carrier)))
    for (const name of fleet.plan.carriers.keys()) known.add(name)
    for (const kind of ['dispatch', 'await'] as const) {
      const lanes = await database.read((tx) => lanesWithJobs(tx, kind))
      for (const lane of lanes.filter((name) => !known.has(name))) {
        const slice = (tx: Tx) => leaveLane(tx, { kind, lane }, { now, dueBy: now - this.#strandedMs })
        while (await database.write(slice, { patient: true }));
        onStranded(kind)
      }
    }
  }

  async #report(at: number): Promise<void> {
    const { database, clock, fleet, retain } = this.#parts
    const counting = this.#throttling
    this.#throttling = new Map()
    const lines = [...fleet.all()].map(({ carrier, settings, paused, since }): CarrierLine => {
      const { name } = carrier
      const state = carrier.state()
      const throttling = counting.get(name) ?? new Throttling()
      this.#throttling.set(name, throttling)
      const rested = throttling.look(state, at)
      const place = placeOf(settings)
      return { carrier: name, place, paused, since, capacity: carrier.capacity(), rested, ...state }
    })
    for (const line of lines) this.#logUnreadable(line)
    const { warnings, fixed } = fleet.plan
    const { id, ...about } = this.#parts.process
    const said: CarrierReport = {
      ...about,
      routing: routingOf(fleet.plan),
      reload: this.#reloads,
      since: this.#since,
      problems: this.#problems,
      warnings,
      fixed,
      carriers: lines,
      endedThreads: this.#parts.endedThreads(),
      retain,
    }
    const text = JSON.stringify(said)
    if (text === this.#written.text && at - this.#written.at < REPORT_MS) return
    await database.write((tx) => writeReport(tx, id, text, clock.now()), { patient: true })
    this.#written = { text, at }
  }

  #logUnreadable({ carrier, unreadable }: CarrierLine): void {
    const receipts = unreadable - (this.#loggedUnreadable.get(carrier) ?? 0)
    this.#loggedUnreadable.set(carrier, unreadable)
    if (receipts > 0) this.#parts.log.warn({ carrier, receipts }, 'receipts of a carrier could not be read')
  }
}
