import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from './clock.ts'

/**
 * The process's Prometheus metrics. The help of each begins with what it counts: `This process`, or `The database`, which
 * all processes on it report alike.
 */
export interface Metrics {
  /** Adds a number that only grows. Each name once. */
  counter<Label extends string = never>(name: string, help: string, labels?: readonly Label[]): Counter<Label>
  /** Adds how often which values were seen. Each name once. */
  histogram<Label extends string = never>(options: HistogramOptions<Label>): Histogram<Label>
  /**
   * Adds numbers that are read when the metrics are. When they can't be read in time, they are left out and the others
   * are shown all the same.
   */
  watch(gauges: readonly Watched[], read: () => Promise<readonly Sample[]>, options?: WatchOptions): void
  /** The metrics as text, and the media type of that text. */
  render(): Promise<{ text: string; type: string }>
}

export interface HistogramOptions<Label extends string> {
  name: string
  help: string
  labels?: readonly Label[]
  buckets: readonly number[]
}

/** A number that is read when the metrics are. */
export interface Watched {
  name: string
  help: string
  labels: readonly string[]
  /** For a number that only grows. */
  counter?: boolean
}

export interface WatchOptions {
  /** How long what was read is shown again. */
  keepMs?: number
}

export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

export interface MetricsOptions {
  clock: Pick<Clock, 'elapsed' | 'after'>
  /** Called with what kept some numbers from being read. */
  onUnread(error: unknown): void
}

/** Counting looks at no more rows of a kind than this, so that it takes milliseconds however many there are. */
export const MOST_COUNTED = 100_000
/** How long a count is shown again, so that several scrapers cost as much as one. */
export const COUNT_KEPT_MS = 15_000
/** Less than the usual timeout of a scrape. */
const READ_MS = 3_000
/** Gauges of the library whose names end as counters do. The same numbers are in others, by type. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

let ofNode: Registry | undefined

/**
 * Node's own metrics, which the gateways of a process share. What measures them never ends, and holds on to the registry
 * that it was given: a program that opens a sandbox for each of its tests would keep them all.
 */
function nodeMetrics(): Registry {
  if (!ofNode) {
    ofNode = new Registry()
    collectDefaultMetrics({ register: ofNode })
    for (const name of MISNAMED) ofNode.removeSingleMetric(name)
  }
  return ofNode
}

/** The metrics of Node, to which each part adds its own. */
export function createMetrics({ clock, onUnread }: MetricsOptions): Metrics {
  const node = nodeMetrics()
  const registry = new Registry()
  const registers = [registry]

  /** Resolves with nothing when reading fails or takes too long. */
  function inTime(reading: Promise<readonly Sample[]>): Promise<readonly Sample[]> {
    return new Promise((resolve) => {
      const give = (error: unknown) => {
        onUnread(error)
        resolve([])
      }
      const cancel = clock.after(READ_MS, () => give(new Error(`not read within ${READ_MS} ms`)))
      reading.then(resolve, give).finally(cancel)
    })
  }

  return {
    counter: (name, help, labels = []) => new Counter({ name, help, labelNames: [...labels], registers }),
    histogram: ({ name, help, labels = [], buckets }) =>
      new Histogram({ name, help, labelNames: [...labels], buckets: [...buckets], registers }),
    watch(watched, read, { keepMs = 0 } = {}) {
      let shown: Promise<readonly Sample[]> | undefined
      let readAt = Number.NEGATIVE_INFINITY
      /** All are read at once, and never twice at a time. A failure is not kept. */
      function samples(): Promise<readonly Sample[]> {
        if (shown && clock.elapsed() - readAt <= keepMs) return shown
        readAt = Number.POSITIVE_INFINITY
        const reading = read()
        shown = inTime(reading)
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
      for (const { name, help, labels, counter } of watched) {
        const collect = async (metric: { reset(): void }, put: (sample: Sample) => void) => {
          const found = await samples()
          metric.reset()
          for (const sample of found) if (sample.name === name) put(sample)
        }
        const labelNames = [...labels]
        if (counter)
          new Counter({
            ...{ name, help, labelNames, registers },
            collect() {
              return collect(this, (sample) => this.inc(sample.labels, sample.value))
            },
          })
        else
          new Gauge({
            ...{ name, help, labelNames, registers },
            collect() {
              return collect(this, (sample) => this.set(sample.labels, sample.value))
            },
          })
      }
    },
    render: async () => ({
      text: await Registry.merge([node, registry]).metrics(),
      type: registry.contentType,
    }),
  }
}
