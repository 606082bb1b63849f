import { walletOf } from '../../gateway/principal.ts'
import type { Queries } from '../../gateway/queries.ts'
import type { Handler } from '../handler.ts'
import { nextCursor, pageRequest, timeOf, transaction } from '../wire.ts'

export function searchMessages(queries: Queries): Handler<'searchMessages'> {
  return async ({ principal, query }) => {
    const filter = {
      createdFrom: timeOf(query.DateFrom),
      createdBefore: timeOf(query.DateTo),
      status: query.Status,
      recipient: query.To,
      sender: query.From,
    }
    const { items, next } = await queries.search(walletOf(principal), filter, pageRequest(query))
    return { body: { Items: items.map(transaction), ...nextCursor(next) } }
  }
}
