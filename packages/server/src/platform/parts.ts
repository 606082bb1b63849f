import type { EpochMs, Ticket } from '../domain/ids.ts'
import type { Backlog } from './backlog.ts'
import type { Changes } from './changes.ts'
import type { Clock } from './clock.ts'
import type { Database, Replica } from './database/database.ts'
import type { Logger } from './log.ts'
import type { Metrics } from './metrics.ts'
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
   * Returns the error reporter of one part of the gateway. It logs and counts unexpected errors, and returns the id that
   * the log has. What is known besides the error is logged with it.
   */
  fault(part: string): (error: unknown, more?: object) => string
}
