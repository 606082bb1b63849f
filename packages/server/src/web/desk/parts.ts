import type { Config } from '../../config/config.ts'
import type { Carrier, CarrierSettings, PlanInForce } from '../../delivery/index.ts'
import type { Clock, LiveTimes } from '../../kernel/process/clock.ts'
import type { Metrics } from '../../kernel/process/metrics.ts'
import type { Failures } from '../../net/pages/error.tsx'
import type { FormTickets } from '../../net/pages/forms.tsx'
import type { PageContext } from '../../net/pages/reply.ts'
import type { OperatorWork, WorkParts } from '../../operate/operator-work.ts'
import type { Reception } from '../../sign-in/operators/index.ts'
import type { Acting } from '../../store/audit/index.ts'
import type { Database } from '../../store/database.ts'
import type { ConsoleView } from '../console-view.ts'

/** The parts of the gateway that the pages use. */
export interface DeskParts extends Failures {
  database: Database
  config: Config
  reception: Reception
  /** The use cases of operators and their parts, on behalf of the acting one. */
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
  live: LiveTimes | undefined
  /** The address at which operators open the desk. */
  url(): string
  /** The address that a request comes from. */
  addressOf(c: PageContext): string
  /** Aborted when the process is about to stop. */
  stopping: AbortSignal
}
