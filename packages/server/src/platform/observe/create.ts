import type { Clock } from '../clock.ts'
import type { Database } from '../database/database.ts'
import { watchDatabase } from '../database/database-metrics.ts'
import { watchJobs } from '../jobs/job-metrics.ts'
import type { Logger } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { Parts } from '../parts.ts'
import { type AccessLogOptions, createAccessLog } from './access-log.ts'
import { showBuild } from './build-info.ts'
import { createFaultLog } from './fault-log.ts'
import { type Fetch, observed } from './observe.ts'
import { type OpenTracingOptions, openTracing } from './open-tracing.ts'

export interface ObservationOptions {
  database: Database
  clock: Clock
  log: Logger
  newId: Parts['newId']
  takesWrites(): Promise<boolean>
  version: string
  environment: string
  /** Undefined while traces are off. */
  traces: OpenTracingOptions['settings'] | undefined
}

export interface Observation extends Pick<Parts, 'metrics' | 'fault' | 'tracing'> {
  /** Counts, traces and, with the options of a log, logs every request. */
  requests(fetch: Fetch, accessLog: Omit<AccessLogOptions, 'log'> | false): Fetch
}

/** What an operator sees of the gateway: metrics, unexpected errors, traces, and a line for each request. */
export async function createObservation(options: ObservationOptions): Promise<Observation> {
  const { database, clock, log, newId, takesWrites, version, environment, traces } = options
  const metrics = createMetrics({
    clock,
    onUnread: (err) => log.warn({ err }, 'some metrics could not be read'),
  })
  const fault = createFaultLog({ clock, log, metrics, newId })
  watchDatabase({ database, takesWrites, metrics })
  watchJobs({ database, clock, metrics })
  showBuild(metrics, { version, node: process.version, engine: database.engine, environment })
  const tracing =
    traces && (await openTracing({ database, settings: traces, version, log, onFault: fault('traces') }))
  return {
    metrics,
    fault,
    tracing,
    requests(fetch, accessLog) {
      const logAccess = accessLog && createAccessLog({ log, ...accessLog })
      return observed(fetch, {
        clock,
        tracing,
        requestId: () => newId(clock.now()),
        onAnswered(answered) {
          const { operation, status, ms } = answered
          metrics.requestSeconds.observe({ operation, status }, ms / 1_000)
          if (logAccess) logAccess(answered)
        },
      })
    },
  }
}
