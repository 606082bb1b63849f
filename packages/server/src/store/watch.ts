import { randomBytes } from 'node:crypto'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { Metrics, Sample, Watched } from '../kernel/process/metrics.ts'
import { type Database, type Pool, StoreFull, type Tx, type WriteOptions } from './database.ts'
import { writeSetting } from './settings.ts'

/** How many writes there were, and how long they took together, waiting included. */
export interface WriteTimes {
  writes: number
  ms: number
}

/** How long an answer is used again. Strangers may ask as often as they like. */
const TRIED_MS = 1_000
/** A write that takes longer would not be answered in time either. */
const PATIENCE_MS = 2_000
/**
 * A full store may still have room for the small write of the probe, so its refusals of others count for a while. For work
 * that no caller waits for they count less: housekeeping takes more room than a send, and its refusals must not keep a
 * gateway away that takes sends. Then a probe has to find as much room as some sends need.
 */
const FULL_MS = 10_000
const ROOM_BYTES = 32 * 1_024

/** Watches whether the store takes writes. A change is logged. */
export class WatchedStore {
  /** The store, of which every write is watched. */
  readonly database: Database
  readonly times: WriteTimes = { writes: 0, ms: 0 }
  readonly #store: Database
  readonly #clock: Clock
  readonly #log: Logger
  #fullUntil = Number.NEGATIVE_INFINITY
  #tightUntil = Number.NEGATIVE_INFINITY
  #tried: { from: number; answer: Promise<boolean> } | undefined
  #writing: Promise<boolean> | undefined
  #before = true

  constructor(store: Database, { clock, log }: { clock: Clock; log: Logger }) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    this.database = { ...store, write: (work, options) => this.#write(work, options) }
  }

  /** Whether the store takes writes now: tried with a small one, at most once a second for all callers. */
  async takesWrites(): Promise<boolean> {
    const elapsed = this.#clock.elapsed()
    if (this.#tried === undefined || elapsed - this.#tried.from >= TRIED_MS)
      this.#tried = { from: elapsed, answer: this.#try() }
    const taken = await this.#tried.answer
    return this.#tell(taken && this.#clock.elapsed() >= this.#fullUntil)
  }

  async #try(): Promise<boolean> {
    const { promise: late, resolve } = Promise.withResolvers<boolean>()
    const cancel = this.#clock.after(PATIENCE_MS, () => resolve(false))
    // While a write hangs, no further one is begun.
    this.#writing ??= this.#store
      .write((tx) => writeSetting(tx, 'write_probe', this.#probe()), { lockWaitMs: PATIENCE_MS })
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        this.#writing = undefined
      })
    const taken = await Promise.race([this.#writing, late])
    cancel()
    return taken
  }

  /** Random where it takes room: PostgreSQL would compress anything else. */
  #probe(): string {
    const now = String(this.#clock.now())
    const isTight = this.#clock.elapsed() < this.#tightUntil
    return isTight ? `${now} ${randomBytes((ROOM_BYTES * 3) / 4).toString('base64')}` : now
  }

  #tell(now: boolean): boolean {
    if (now !== this.#before) {
      if (now) this.#log.warn('the store takes writes again; /readyz answers 200')
      else this.#log.error('the store takes no writes; /readyz answers 503 until it does')
    }
    this.#before = now
    return now
  }

  async #write<T>(work: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T> {
    const from = performance.now()
    try {
      return await this.#store.write(work, options)
    } catch (error) {
      if (error instanceof StoreFull) {
        const until = this.#clock.elapsed() + FULL_MS
        if (options?.patient) this.#tightUntil = until
        else this.#fullUntil = until
      }
      throw error
    } finally {
      this.times.writes++
      this.times.ms += performance.now() - from
    }
  }
}

const WRITABLE: Watched = {
  name: 'wigwag_store_writable',
  help: 'This process: 1 while the database takes its writes, else 0, as /readyz says.',
  labels: [],
  aggregator: 'min',
}
const IN_USE: Watched = {
  name: 'wigwag_database_connections_in_use',
  help: 'This process: connections to PostgreSQL that do work, by pool. SQLite has no pools.',
  labels: ['pool'],
}
const MOST: Watched = {
  name: 'wigwag_database_connections_max',
  help: 'This process: connections to PostgreSQL that it may open, by pool.',
  labels: ['pool'],
}
const WAITING: Watched = {
  name: 'wigwag_database_connections_waiting',
  help: 'This process: pieces of work that wait for a connection to PostgreSQL, by pool.',
  labels: ['pool'],
}

const WRITES: Watched = {
  name: 'wigwag_database_writes_total',
  help: 'This process: writes to the database, failed ones included.',
  labels: [],
  counter: true,
}
const WRITE_SECONDS: Watched = {
  name: 'wigwag_database_write_seconds_total',
  help: 'This process: how long all writes took together, waiting included.',
  labels: [],
  counter: true,
}

/** Shows whether the store takes writes, and how its connections are used. */
export function watchDatabase(own: {
  database: Database
  takesWrites(): Promise<boolean>
  writeTimes(): WriteTimes
  metrics: Pick<Metrics, 'watch'>
}): void {
  const { database, metrics } = own
  metrics.watch([WRITABLE], async () => [
    { name: WRITABLE.name, labels: {}, value: (await own.takesWrites()) ? 1 : 0 },
  ])
  metrics.watch([WRITES, WRITE_SECONDS], async () => {
    const { writes, ms } = own.writeTimes()
    return [
      { name: WRITES.name, labels: {}, value: writes },
      { name: WRITE_SECONDS.name, labels: {}, value: ms / 1_000 },
    ]
  })
  metrics.watch([IN_USE, MOST, WAITING], async () => (database.pools?.() ?? []).flatMap(ofPool))
}

function ofPool({ name, inUse, most, waiting }: Pool): Sample[] {
  const labels = { pool: name }
  return [
    { name: IN_USE.name, labels, value: inUse },
    { name: MOST.name, labels, value: most },
    { name: WAITING.name, labels, value: waiting },
  ]
}
