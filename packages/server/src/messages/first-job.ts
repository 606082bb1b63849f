import type { OutgoingMessage } from '../domain/message.ts'
import { firstLease, type NewJob, UNCLAIMED } from '../platform/jobs/outbox.ts'
import type { NewMessage } from './messages.ts'

/** How accepted messages go out: the lane of each, and the lease of those stored as already claimed. */
export interface Departure {
  laneOf(message: OutgoingMessage): string
  /** Undefined for a message that any process may claim. */
  leaseMs(message: OutgoingMessage): number | undefined
}

/**
 * The first job of a message: dispatch at once, or wait in the outbox until its time. With a lease, a dispatch job is
 * stored as already claimed by this process.
 */
export function firstJob(message: NewMessage, { validityMs, departure }: JobTimes): NewJob {
  const { id, walletId, status, sendAt, createdAt } = message
  if (status === 'scheduled')
    return {
      ...{ id, kind: 'scheduled', lane: '', owner: walletId, runAt: sendAt },
      ...{ ...UNCLAIMED, expiresAt: sendAt + validityMs },
    }
  const lane = departure.laneOf(message)
  return {
    ...{ id, kind: 'dispatch', lane, owner: walletId, runAt: createdAt },
    ...{ ...firstLease(createdAt, departure.leaseMs(message)), expiresAt: createdAt + validityMs },
  }
}

export interface JobTimes {
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  departure: Departure
}
