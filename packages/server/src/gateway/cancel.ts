import type { Clock } from '../clock.ts'
import { Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Database } from '../store/database.ts'
import type { MessageRow } from '../store/messages.ts'
import { auditWrites } from './assistant-audit.ts'
import type { Finalize } from './finalize.ts'
import type { WalletPrincipal } from './principal.ts'
import type { Queries } from './queries.ts'

export interface CancelOptions {
  queries: Queries
  finalize: Finalize
  database: Database
  clock: Clock
  newId(now: EpochMs): string
}

/** A caller waits for the answer, so it is worth a longer wait than a batch is. */
const LOCK_WAIT_MS = 3_000

/** Cancels a scheduled message and gives its hold back. Cancelling a cancelled one again changes nothing. */
export function createCancel({ queries, finalize, database, clock, newId }: CancelOptions) {
  async function audit(principal: WalletPrincipal, ticket: string, outcome: string): Promise<void> {
    if (!principal.connection) return
    const write = { principal, operation: 'cancelScheduledSms', ticket, outcome }
    await database.write((connection) => auditWrites(connection, [write], clock.now(), newId))
  }

  return async function cancel(principal: WalletPrincipal, ticket: string): Promise<MessageRow> {
    const before = await queries.walletMessage(principal, ticket)
    if (before.status === 'scheduled')
      await finalize([{ ticket: before.id, status: 'cancelled', carrierRef: '', submittedAt: 0 }], {
        lockWaitMs: LOCK_WAIT_MS,
      })
    const after = await queries.walletMessage(principal, ticket)
    const isCancelled = after.status === 'cancelled'
    await audit(principal, after.id, isCancelled ? 'done' : 'not_cancellable')
    if (isCancelled) return after
    throw new Problem(
      'not_cancellable',
      `The message is ${after.status}: ${before.sendAt === 0 ? 'it was never scheduled' : 'its time has come'}. Only scheduled messages can be cancelled.`,
    )
  }
}
