import type { Handlers } from '../platform/http/handler.ts'
import type { Parts } from '../platform/parts.ts'
import { createInsights } from './insights.ts'
import { createQueries, type Queries } from './queries.ts'
import { createReport, type ReadReport } from './report.ts'
import { deliveryInsights, getMessage, getTransactionStatus, searchMessages } from './routes.ts'
import { createToday, type Today } from './today.ts'

export interface History {
  queries: Queries
  today: Today
  report: ReadReport
  handlers: Pick<Handlers, 'getTransactionStatus' | 'getMessage' | 'searchMessages' | 'deliveryInsights'>
}

/** Builds the history subject: its queries and the handlers of its routes. */
export function createHistory({ database, clock }: Pick<Parts, 'database' | 'clock'>): History {
  const queries = createQueries(database, clock)
  return {
    queries,
    today: createToday(database, clock),
    report: createReport(database),
    handlers: {
      getTransactionStatus: getTransactionStatus(queries),
      getMessage: getMessage(queries),
      searchMessages: searchMessages(queries),
      deliveryInsights: deliveryInsights(createInsights(database, clock)),
    },
  }
}
