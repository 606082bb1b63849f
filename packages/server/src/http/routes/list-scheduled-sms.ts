import { toDecimal } from '../../domain/money.ts'
import { walletOf } from '../../gateway/principal.ts'
import type { Queries } from '../../gateway/queries.ts'
import type { Handler } from '../handler.ts'
import { instant, nextCursor, pageRequest } from '../wire.ts'

export function listScheduledSms(queries: Queries): Handler<'listScheduledSms'> {
  return async ({ principal, query }) => {
    const { items, next } = await queries.scheduled(walletOf(principal), pageRequest(query))
    const listed = items.map((message) => ({
      Ticket: message.id,
      Status: message.status,
      SendAt: instant(message.sendAt),
      From: message.sender,
      To: message.recipient,
      Content: message.content,
      Reference: message.reference,
      HeldCost: toDecimal(message.price),
      DateCreated: instant(message.createdAt),
    }))
    return { body: { Items: listed, ...nextCursor(next) } }
  }
}
