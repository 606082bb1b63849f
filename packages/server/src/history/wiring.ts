import { epochMs } from '../domain/ids.ts'
import { totalsBetween } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { Handlers } from '../platform/http/handler.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import type { Parts } from '../platform/parts.ts'
import type { MovedClock } from './clock-ahead.ts'
import { createInsights, type InsightRow, sumUp } from './insights.ts'
import { createQueries, type Queries } from './queries.ts'
import { createReport, type ReadReport } from './report.ts'
import { deliveryInsights, getMessage, getTransactionStatus, searchMessages } from './routes.ts'

export interface History {
  queries: Queries
  /** The same of what may be a second old. A page that is told of each change must not begin with them. */
  lateQueries: Queries
  today: Today
  report: ReadReport
  handlers: Pick<Handlers, 'getTransactionStatus' | 'getMessage' | 'searchMessages' | 'deliveryInsights'>
}

/** Builds the history subject: its queries and the handlers of its routes. */
export function createHistory({
  database,
  replica,
  clock,
  sandboxClock,
  showCarriers,
}: Pick<Parts, 'database' | 'replica' | 'clock'> & {
  sandboxClock: MovedClock | undefined
  showCarriers: boolean
}): History {
  const queries = createQueries(database, clock, showCarriers)
  const lateQueries = createQueries(replica, clock, showCarriers)
  return {
    queries,
    lateQueries,
    today: createToday(database, clock),
    report: createReport(replica),
    handlers: {
      getTransactionStatus: getTransactionStatus(queries),
      getMessage: getMessage(queries),
      searchMessages: searchMessages(lateQueries, sandboxClock),
      deliveryInsights: deliveryInsights(createInsights(replica, clock)),
    },
  }
}

const DAY_MS = 24 * 3_600_000

/** What a wallet sent today (UTC), from the running totals of whole hours alone: no message is counted. */
export type Today = (principal: WalletPrincipal) => Promise<InsightRow>

function createToday(database: Database, clock: Clock): Today {
  return async function today({ wallet }) {
    const now = clock.now()
    const from = epochMs(now - (now % DAY_MS))
    const rows = await database.read((tx) => totalsBetween(tx, wallet.id, from, epochMs(from + DAY_MS)))
    return sumUp('today', rows)
  }
}
