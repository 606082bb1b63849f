import type { OutgoingMessage } from '../domain/message.ts'
import { type Job, type NewJob, UNCLAIMED } from '../platform/jobs/outbox.ts'
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
  const leaseMs = departure.leaseMs(message)
  const claimed = leaseMs === undefined ? UNCLAIMED : { leaseUntil: createdAt + leaseMs, epoch: 1 }
  return {
    ...{ id, kind: 'dispatch', lane, owner: walletId, runAt: createdAt },
    ...{ ...claimed, expiresAt: createdAt + validityMs },
  }
}

export interface JobTimes {
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  departure: Departure
}

/** The job of a message stored with a lease, as if it had just been claimed. */
export function bornClaimed(message: NewMessage, lane: string, validityMs: number): Job {
  return {
    id: message.id,
    lane,
    owner: message.walletId,
    runAt: message.createdAt,
    epoch: 1,
    attempts: 0,
    faults: 0,
    lapsed: false,
    carrierRef: undefined,
    submittedAt: 0,
    handedAt: 0,
    expiresAt: message.createdAt + validityMs,
    longRef: undefined,
    message,
  }
}
