import type { Queries } from '../../gateway/queries.ts'
import type { Handler } from '../handler.ts'
import { transaction } from '../wire.ts'

export function getTransactionStatus(queries: Queries): Handler<'getTransactionStatus'> {
  return async ({ principal, path }) => ({
    body: transaction(await queries.transaction(principal, path.ticket)),
  })
}
