import type { Handlers } from '../platform/http/handler.ts'
import type { Parts } from '../platform/parts.ts'
import { createInsights } from './insights.ts'
import { createQueries, type Queries } from './queries.ts'
import { deliveryInsights, getMessage, getTransactionStatus, searchMessages } from './routes.ts'

export interface History {
  queries: Queries
  handlers: Pick<Handlers, 'getTransactionStatus' | 'getMessage' | 'searchMessages' | 'deliveryInsights'>
}

/** Builds the history subject: its queries and the handlers of its routes. */
export function createHistory({ database, clock }: Pick<Parts, 'database' | 'clock'>): History {
  const queries = createQueries(database)
  return {
    queries,
    handlers: {
      getTransactionStatus: getTransactionStatus(queries),
      getMessage: getMessage(queries),
      searchMessages: searchMessages(queries),
      deliveryInsights: deliveryInsights(createInsights(database, clock)),
    },
  }
}
