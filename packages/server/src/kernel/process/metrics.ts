import {
  type Aggregator,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  Registry,
} from '@prometheus-io/client'
import type { Clock } from './clock.ts'

/** A number that is read when the metrics are. */
export interface Watched {
  name: string
  help: string
  labels: readonly string[]
  /** For a number that only grows. */
  counter?: boolean
  /** How the numbers of several processes become one. They are added when it is left out. */
  aggregator?: Aggregator
}

export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

/** All numbers as they are at one moment, to be put together with those of other processes. */
export type Snapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

/** The metrics as text, and the media type of that text. */
export interface Rendered {
  text: string
  type: string
}

/** Counting looks at no more rows of a kind than this, so that it takes milliseconds however many there are. */
export const MOST_COUNTED = 100_000
/** How long a count is shown again, so that several scrapers cost as much as one. */
export const COUNT_KEPT_MS = 15_000
/** Less than the usual timeout of a scrape. */
const READ_MS = 3_000
/**
 * Gauges of the library whose names end as counters do, while the same numbers are in others, by type; and what it would
 * sample ten times a second in a process that is otherwise idle.
 */
const LEFT_OUT = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_summary',
  'nodejs_eventloop_utilization_histogram',
]
/** The longest pause of a timer. The library takes no other word for "never". */
const NEVER_MS = 2 ** 31 - 1

let ofNode: Registry | undefined

/**
 * Node's own metrics, which the gateways of a process share. Their collectors never end and hold on to their
 * registry: with one each, a program that opens a sandbox for each of its tests would keep them all.
 */
function nodeMetrics(): Registry {
  if (!ofNode) {
    ofNode = new Registry()
    collectDefaultMetrics({ register: ofNode, eventLoopUtilizationTimeout: NEVER_MS })
    for (const name of LEFT_OUT) ofNode.removeSingleMetric(name)
  }
  return ofNode
}

/**
 * The process's Prometheus metrics: Node's, to which each part adds its own. The help of each begins with what it counts:
 * `This process`, or `The database`, which all processes on it report alike.
 */
export class Metrics {
  readonly #clock: Pick<Clock, 'elapsed' | 'after'>
  readonly #onUnread: (error: unknown) => void
  readonly #node = nodeMetrics()
  readonly #registry = new Registry()
  readonly #registers = [this.#registry]

  /** `onUnread` is called with what kept some numbers from being read. */
  constructor(own: { clock: Pick<Clock, 'elapsed' | 'after'>; onUnread(error: unknown): void }) {
    this.#clock = own.clock
    this.#onUnread = own.onUnread
  }

  /** Adds a number that only grows. Each name once. */
  counter<Label extends string = never>(
    name: string,
    help: string,
    labels: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames: [...labels], registers: this.#registers })
  }

  /** Adds how often which values were seen. Each name once. */
  histogram<Label extends string = never>(own: {
    name: string
    help: string
    labels?: readonly Label[]
    buckets: readonly number[]
  }): Histogram<Label> {
    const { name, help, labels = [], buckets } = own
    const registers = this.#registers
    return new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers })
  }

  /**
   * Adds numbers that are read when the metrics are. When they can't be read in time, they are left out and the others
   * are shown all the same. For `keepMs` after that, the same numbers are shown again.
   */
  watch(
    watched: readonly Watched[],
    read: () => Promise<readonly Sample[]>,
    { keepMs = 0 }: { keepMs?: number } = {},
  ): void {
    const samples = this.#sampled(read, keepMs)
    for (const { name, help, labels, counter, aggregator = 'sum' } of watched) {
      const collect = async (metric: { reset(): void }, put: (sample: Sample) => void) => {
        const found = await samples()
        metric.reset()
        for (const sample of found) if (sample.name === name) put(sample)
      }
      const shared = { name, help, aggregator, labelNames: [...labels], registers: this.#registers }
      if (counter)
        new Counter({
          ...shared,
          collect() {
            return collect(this, (sample) => this.inc(sample.labels, sample.value))
          },
        })
      else
        new Gauge({
          ...shared,
          collect() {
            return collect(this, (sample) => this.set(sample.labels, sample.value))
          },
        })
    }
  }

  async render(): Promise<Rendered> {
    const text = await this.#all().metrics()
    return { text, type: this.#registry.contentType }
  }

  snapshot(): Promise<Snapshot> {
    return this.#all().getMetricsAsJSON()
  }

  #all(): Registry {
    return Registry.merge([this.#node, this.#registry])
  }

  /** All are read at once, and never twice at a time. A failure is not kept. */
  #sampled(read: () => Promise<readonly Sample[]>, keepMs: number): () => Promise<readonly Sample[]> {
    const clock = this.#clock
    let shown: Promise<readonly Sample[]> | undefined
    let readAt = Number.NEGATIVE_INFINITY
    return () => {
      if (shown && clock.elapsed() - readAt <= keepMs) return shown
      readAt = Number.POSITIVE_INFINITY
      const reading = read()
      shown = this.#inTime(reading)
      reading.then(
        () => {
          readAt = clock.elapsed()
          shown = keepMs === 0 ? undefined : reading
        },
        () => {
          shown = undefined
        },
      )
      return shown
    }
  }

  /** Resolves with nothing when reading fails or takes too long. */
  #inTime(reading: Promise<readonly Sample[]>): Promise<readonly Sample[]> {
    return new Promise((resolve) => {
      const give = (error: unknown) => {
        this.#onUnread(error)
        resolve([])
      }
      const cancel = this.#clock.after(READ_MS, () => give(new Error(`not read within ${READ_MS} ms`)))
      reading.then(resolve, give).finally(cancel)
    })
  }
}
