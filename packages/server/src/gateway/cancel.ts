import { Problem } from '../domain/errors.ts'
import type { MessageRow } from '../store/messages.ts'
import type { Finalize } from './finalize.ts'
import type { WalletPrincipal } from './principal.ts'
import type { Queries } from './queries.ts'

/** Cancels a scheduled message and gives its hold back. Cancelling a cancelled one again changes nothing. */
export function createCancel(queries: Queries, finalize: Finalize) {
  return async function cancel(principal: WalletPrincipal, ticket: string): Promise<MessageRow> {
    const before = await queries.walletMessage(principal, ticket)
    if (before.status === 'scheduled')
      await finalize([{ ticket: before.id, status: 'cancelled', carrierRef: '' }])
    const after = await queries.walletMessage(principal, ticket)
    if (after.status === 'cancelled') return after
    throw new Problem(
      'not_cancellable',
      `The message is ${after.status}: ${before.sendAt === 0 ? 'it was never scheduled' : 'its time has come'}. Only scheduled messages can be cancelled.`,
    )
  }
}
