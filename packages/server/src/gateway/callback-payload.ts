import { toDecimal } from '../domain/money.ts'
import type { DueCallback } from '../store/callbacks.ts'

/** The seven specified fields. A final message changes no more, so every attempt posts and signs the same bytes. */
export function callbackPayload(callback: DueCallback): string {
  return JSON.stringify({
    ClientReference: callback.reference,
    Ticket: callback.ticket,
    Destination: callback.recipient,
    Cost: toDecimal(callback.cost),
    BalanceBefore: toDecimal(callback.balanceBefore),
    BalanceAfter: toDecimal(callback.balanceAfter),
    Status: callback.status,
  })
}
