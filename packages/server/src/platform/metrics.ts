import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** The process's Prometheus metrics. */
export interface Metrics {
  messagesAccepted: Counter
  messagesFinal: Counter<'status'>
  callbackAttempts: Counter<'outcome'>
  callbackSeconds: Histogram
  faults: Counter<'room'>
  receiptsOrphaned: Counter
  /** Adds numbers that are read when the metrics are. */
  watch(gauges: readonly Watched[], read: () => Promise<readonly Sample[]>): void
  /** The metrics as text, and the media type of that text. */
  render(): Promise<{ text: string; type: string }>
}

/** A number that is read when the metrics are. */
export interface Watched {
  name: string
  help: string
  labels: readonly string[]
  /** For a number that only grows. */
  counter?: boolean
}

export interface Sample {
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

export interface MetricsOptions {
  /** The number of jobs of each kind that are set aside because they keep failing. */
  setAside(): Promise<{ kind: string; count: number }[]>
}

/** Registers the gateway's metrics and Node's default ones. */
export function createMetrics({ setAside }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'wigwag_jobs_set_aside',
    help: 'Jobs that keep failing and are retried once an hour, by kind.',
    labelNames: ['kind'],
    registers,
    async collect() {
      this.reset()
      for (const { kind, count } of await setAside()) this.set({ kind }, count)
    },
  })
  return {
    messagesAccepted: new Counter({
      name: 'wigwag_messages_accepted_total',
      help: 'Messages whose price was held.',
      registers,
    }),
    messagesFinal: new Counter({
      name: 'wigwag_messages_final_total',
      help: 'Messages that became final, by status.',
      labelNames: ['status'],
      registers,
    }),
    callbackAttempts: new Counter({
      name: 'wigwag_callback_attempts_total',
      help: 'Attempts to post a callback, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    callbackSeconds: new Histogram({
      name: 'wigwag_callback_seconds',
      help: 'How long receivers take to answer a callback.',
      buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 15],
      registers,
    }),
    faults: new Counter({
      name: 'wigwag_faults_total',
      help: 'Unexpected errors, by part of the gateway.',
      labelNames: ['room'],
      registers,
    }),
    receiptsOrphaned: new Counter({
      name: 'wigwag_receipts_orphaned_total',
      help: 'Receipts that belong to no message.',
      registers,
    }),
    watch(watched, read) {
      let reading: Promise<readonly Sample[]> | undefined
      for (const { name, help, labels, counter } of watched) {
        const collect = async (metric: { reset(): void }, put: (sample: Sample) => void) => {
          // All of them are read at once: each scrape asks for the first of them first.
          reading ??= read().finally(() => {
            reading = undefined
          })
          const samples = await reading
          metric.reset()
          for (const sample of samples) if (sample.name === name) put(sample)
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
    render: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  }
}
