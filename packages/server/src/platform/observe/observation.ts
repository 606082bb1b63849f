import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { watchDatabase } from '../database/database-metrics.ts'
import type { WriteTimes } from '../database/watch-writes.ts'
import { watchJobs } from '../jobs/job-metrics.ts'
import type { Logger } from '../log.ts'
import { createMetrics, type Metrics } from '../metrics.ts'
import type { Parts } from '../parts.ts'
import { type AccessLogOptions, createAccessLog } from './access-log.ts'
import { createFaultLog } from './fault-log.ts'
import { type Fetch, observed } from './observe.ts'
import { type OpenTracingOptions, openTracing } from './open-tracing.ts'

const REQUEST_BUCKETS = [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface ObservationOptions {
  database: Database
  clock: Clock
  log: Logger
  newId: Parts['newId']
  takesWrites(): Promise<boolean>
  writeTimes(): WriteTimes
  version: string
  environment: string
  /** Undefined while traces are off. */
  traces: OpenTracingOptions['settings'] | undefined
}

export interface Observation extends Pick<Parts, 'metrics' | 'fault' | 'tracing'> {
  /** Counts an unexpected error that its part logs itself. */
  countFault(part: string): void
  /** Counts, traces and, with the options of a log, logs every request. */
  requests(fetch: Fetch, accessLog: Omit<AccessLogOptions, 'log'> | false): Fetch
}

/** What an operator sees of the gateway: metrics, unexpected errors, traces, and a line for each request. */
export async function createObservation(options: ObservationOptions): Promise<Observation> {
  const { database, clock, log, newId, takesWrites, writeTimes, version, environment, traces } = options
  const metrics = createMetrics({
    clock,
    onUnread: (err) => log.warn({ err }, 'some metrics could not be read'),
  })
  const faults = metrics.counter(
    'wigwag_faults_total',
    'This process: unexpected errors, by part of the gateway.',
    ['part'],
  )
  const requestSeconds = metrics.histogram({
    name: 'wigwag_http_request_duration_seconds',
    help: 'This process: the time from the headers of a request to the beginning of its answer, by operation and status.',
    labels: ['operation', 'status'],
    buckets: REQUEST_BUCKETS,
  })
  const countFault = (part: string) => faults.inc({ part })
  const fault = createFaultLog({ clock, log, newId, countFault })
  watchDatabase({ database, takesWrites, writeTimes, metrics })
  watchJobs({ database, clock, metrics })
  showBuild(metrics, { version, node: process.version, engine: database.engine, environment })
  const tracing =
    traces && (await openTracing({ database, settings: traces, version, log, onFault: fault('traces') }))
  return {
    metrics,
    fault,
    countFault,
    tracing,
    requests(fetch, accessLog) {
      const logAccess = accessLog && createAccessLog({ log, ...accessLog })
      return observed(fetch, {
        clock,
        tracing,
        requestId: () => newId(clock.now()),
        onAnswered(answered) {
          const { operation, status, ms } = answered
          requestSeconds.observe({ operation, status }, ms / 1_000)
          if (logAccess) logAccess(answered)
        },
      })
    },
  }
}

/** Shows which program runs, as labels of a number that is always 1. */
function showBuild(metrics: Pick<Metrics, 'watch'>, labels: Readonly<Record<string, string>>): void {
  const name = 'wigwag_build_info'
  const help = 'This process: always 1; the labels say which version runs, on which Node and engine.'
  metrics.watch([{ name, help, labels: Object.keys(labels) }], async () => [{ name, labels, value: 1 }])
}
