import { toDecimal } from '@wigwag/contract'
import type { components } from '@wigwag/contract/openapi'
import { instant } from '../platform/http/paging.ts'
import type { MessageRow } from './messages.ts'

/** A message in the API's field names. */
export function transaction(
  message: Omit<MessageRow, 'failureReason'>,
): components['schemas']['Transaction'] {
  return {
    Type: 'SMS',
    MessageId: message.id,
    Status: message.status,
    Content: message.content,
    To: message.recipient,
    From: message.sender,
    Reference: message.reference,
    Cost: toDecimal(message.cost),
    DateCreated: instant(message.createdAt),
    EffectedAt: instant(message.effectedAt),
    BalanceBefore: toDecimal(message.balanceBefore),
    BalanceAfter: toDecimal(message.balanceAfter),
  }
}
