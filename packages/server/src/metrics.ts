import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What the process counts, for Prometheus. */
export interface Metrics {
  messagesAccepted: Counter
  messagesFinal: Counter<'status'>
  callbackAttempts: Counter<'outcome'>
  callbackSeconds: Histogram
  faults: Counter<'room'>
  /** The counts as text, and the media type of that text. */
  render(): Promise<{ text: string; type: string }>
}

export interface MetricsOptions {
  /** How many jobs of each kind are set aside, because they fail each time. */
  setAside(): Promise<{ kind: string; count: number }[]>
}

export function createMetrics({ setAside }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'wigwag_jobs_set_aside',
    help: 'Jobs that fail each time and are tried once an hour, by kind.',
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
      help: 'Attempts to post a callback, by what came of them.',
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
      help: 'Errors that nobody expected, by room.',
      labelNames: ['room'],
      registers,
    }),
    render: async () => ({ text: await registry.metrics(), type: registry.contentType }),
  }
}
