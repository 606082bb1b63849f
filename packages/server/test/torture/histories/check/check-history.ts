import type { History } from '../history.ts'
import { checkBank } from './bank.ts'
import { checkKeys } from './keys.ts'
import { checkLedgers } from './ledger.ts'
import { checkOnce } from './once.ts'
import { checkStatuses } from './statuses.ts'
import type { Violation } from './violation.ts'

/**
 * Everything in a history that no order of its operations explains, as far as the rules look: each says what it would
 * not find. All of them look at one key, one message or one wallet at a time. That is enough for linearizability of
 * each, but an order that is possible for each wallet and not for all together would not be found; no promise is made
 * across wallets.
 */
export function checkHistory(history: History): Violation[] {
  return [
    ...checkBank(history),
    ...checkLedgers(history),
    ...checkKeys(history),
    ...checkStatuses(history),
    ...checkOnce(history),
  ]
}
