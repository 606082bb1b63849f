import type { Queries } from '../../gateway/queries.ts'
import type { Handler } from '../handler.ts'
import { instant } from '../wire.ts'

export function listSenderIds(queries: Queries): Handler<'listSenderIds'> {
  return async ({ principal }) => {
    const senders = await queries.senders(principal)
    const items = senders.map(({ sender, status, createdAt }) => ({
      SenderId: sender,
      Status: status,
      DateCreated: instant(createdAt),
    }))
    return { body: { Items: items } }
  }
}
