import type { EpochMs, Ticket } from '../kernel/ids.ts'
import type { Clock } from '../kernel/process/clock.ts'
import type { Logger } from '../kernel/process/log.ts'
import type { Metrics } from '../kernel/process/metrics.ts'
import type { Database, Replica } from '../store/database.ts'
import type { Backlog } from './backlog.ts'
import type { Changes } from './changes.ts'
import type { Tracing } from './observe/tracing.ts'

/** The shared parts that every subject is built from. */
export interface Parts {
  database: Database
  /** The standby, while it follows closely; else the database. */
  replica: Replica
  clock: Clock
  changes: Changes
  newId(now: EpochMs): Ticket
  metrics: Metrics
  log: Logger
  /** Results that wait to be stored. */
  backlog: Backlog
  /** Undefined while traces are off. */
  tracing: Tracing | undefined
  /**
   * Returns the error reporter of one part of the gateway. It logs an unexpected error with `more`, counts
   * it, and returns its id in the log.
   */
  fault(part: string): (error: unknown, more?: object) => string
}
