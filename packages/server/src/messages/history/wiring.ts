import type { Parts } from '../../flow/parts.ts'
import type { WalletPrincipal } from '../../kernel/principal.ts'
import type { Handlers } from '../../net/server/handler.ts'
import { readReport, readToday, type TimeRange } from './insights.ts'
import { Queries } from './queries.ts'
import {
  deliveryInsights,
  getMessage,
  getTransactionStatus,
  type MovedClock,
  searchMessages,
} from './routes.ts'

export type History = ReturnType<typeof openHistory>

/** Opens the history subject: its queries and the handlers of its routes. */
export function openHistory(
  { database, replica, clock }: Pick<Parts, 'database' | 'replica' | 'clock'>,
  { sandboxClock, showCarriers }: { sandboxClock: MovedClock | undefined; showCarriers: boolean },
) {
  const queries = new Queries(database, clock, showCarriers)
  /** The same of what may be a second old. A page that is told of each change must not begin with them. */
  const lateQueries = new Queries(replica, clock, showCarriers)
  return {
    queries,
    lateQueries,
    today: (principal: WalletPrincipal) => readToday(database, principal, clock.now()),
    report: (principal: WalletPrincipal, range: TimeRange) => readReport(replica, principal, range),
    handlers: {
      getTransactionStatus: getTransactionStatus(queries),
      getMessage: getMessage(queries),
      searchMessages: searchMessages(lateQueries, sandboxClock),
      deliveryInsights: deliveryInsights(replica, clock),
    } satisfies Partial<Handlers>,
  }
}
