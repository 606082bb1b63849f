import { auditWrites, isAudited } from '../audit/index.ts'
import type { EndMessages } from '../delivery/index.ts'
import { Problem } from '../domain/errors.ts'
import type { EpochMs } from '../domain/ids.ts'
import type { Queries } from '../history/index.ts'
import type { MessageRow } from '../messages/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from '../platform/database/database.ts'
import type { WalletPrincipal } from '../platform/http/principal.ts'
import { requireScheduler } from './scheduled.ts'

export interface CancelOptions {
  queries: Queries
  endMessages: EndMessages
  database: Database
  clock: Clock
  newId(now: EpochMs): string
}

/** Longer than a batch waits: a caller is waiting for the answer. */
const LOCK_WAIT_MS = 3_000

/**
 * Cancels a scheduled message and releases its hold. Cancelling it again changes nothing. An assistant's connection
 * cancels only what it scheduled itself.
 */
export function createCancel({ queries, endMessages, database, clock, newId }: CancelOptions) {
  async function audit(principal: WalletPrincipal, ticket: string, outcome: string): Promise<void> {
    if (!isAudited(principal)) return
    const write = { principal, operation: 'cancelScheduledSms', ticket, outcome }
    await database.write((tx) => auditWrites(tx, [write], clock.now(), newId))
  }

  async function requireOwn(principal: WalletPrincipal, ticket: string): Promise<void> {
    const { grant } = principal
    if (!grant) return
    try {
      await database.read((tx) => requireScheduler(tx, grant.id, ticket))
    } catch (error) {
      if (error instanceof Problem) await audit(principal, ticket, error.code)
      throw error
    }
  }

  return async function cancel(principal: WalletPrincipal, ticket: string): Promise<MessageRow> {
    const before = await queries.walletMessage(principal, ticket)
    if (before.status === 'scheduled') {
      await requireOwn(principal, before.id)
      await endMessages([{ ticket: before.id, status: 'cancelled', carrierRef: '', submittedAt: 0 }], {
        lockWaitMs: LOCK_WAIT_MS,
      })
    }
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
