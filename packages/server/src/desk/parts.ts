import type { Acting } from '../audit/index.ts'
import type { Config } from '../config.ts'
import type { Carrier, CarrierSettings, PlanInForce } from '../delivery/index.ts'
import type { OperatorWork, WorkParts } from '../operator-work.ts'
import type { Reception } from '../operators/index.ts'
import type { ConsoleView } from '../pages/console-view.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { Failures } from '../platform/pages/error.ts'
import type { FormTickets } from '../platform/pages/forms.ts'
import type { PageContext } from '../platform/pages/reply.ts'

/** What the pages are made from. */
export interface DeskParts extends Failures {
  database: Database
  config: Config
  reception: Reception
  /** The use cases of operators and what they are made from, for the one who does them. */
  workOf(acting: Acting): WorkParts & OperatorWork
  /** The carriers and routes by which this process works. */
  planInForce(): PlanInForce
  /** A carrier of its own, for one message of a test: it takes no receipts. */
  carrierFor(settings: CarrierSettings): Carrier
  /** The consoles of customers; undefined where people can't sign in. */
  consoleView: ConsoleView | undefined
  /** Where people open the console; undefined where they can't sign in. */
  consoleUrl: (() => string) | undefined
  clock: Clock
  /** The real time, by which sessions go: a sandbox's clock may be moved. */
  realClock: Pick<Clock, 'now'>
  metrics: Pick<Metrics, 'watch'>
  tickets: FormTickets
  /** The address at which operators open the desk. */
  url(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  /** Aborted when the process is about to stop. */
  stopping: AbortSignal
}
