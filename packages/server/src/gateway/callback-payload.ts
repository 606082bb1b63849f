import { toDecimal } from '../domain/money.ts'
import type { Settlement, UnsettledMessage } from '../store/messages.ts'

/** The seven specified fields, as the bytes that every attempt posts and signs. */
export function callbackPayload(message: UnsettledMessage, settlement: Settlement): string {
  return JSON.stringify({
    ClientReference: message.reference,
    Ticket: message.id,
    Destination: message.recipient,
    Cost: toDecimal(settlement.cost),
    BalanceBefore: toDecimal(settlement.balanceBefore),
    BalanceAfter: toDecimal(settlement.balanceAfter),
    Status: settlement.status,
  })
}
