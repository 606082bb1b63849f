import type { OutgoingMessage } from '../domain/message.ts'
import { type Job, type NewJob, UNCLAIMED } from '../platform/jobs/outbox.ts'
import type { MessageRow } from './messages.ts'

/**
 * The first job of a message: dispatch at once, or wait in the outbox until its time. With a lease, a dispatch job is
 * stored as already claimed by this process.
 */
export function firstJob(
  { id, status, sendAt, createdAt }: Pick<MessageRow, 'id' | 'status' | 'sendAt' | 'createdAt'>,
  { validityMs, leaseMs }: JobTimes,
): NewJob {
  if (status === 'scheduled')
    return { id, kind: 'scheduled', runAt: sendAt, ...UNCLAIMED, expiresAt: sendAt + validityMs }
  const claimed = leaseMs === undefined ? UNCLAIMED : { leaseUntil: createdAt + leaseMs, epoch: 1 }
  return { id, kind: 'dispatch', runAt: createdAt, ...claimed, expiresAt: createdAt + validityMs }
}

export interface JobTimes {
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  /** The lease of jobs stored as claimed; undefined to let any process claim them. */
  leaseMs: number | undefined
}

/** The job of a message stored with a lease, as if it had just been claimed. */
export function bornClaimed(
  message: OutgoingMessage & Pick<MessageRow, 'createdAt'>,
  validityMs: number,
): Job {
  return {
    id: message.id,
    epoch: 1,
    attempts: 0,
    faults: 0,
    lapsed: false,
    carrierRef: undefined,
    submittedAt: 0,
    expiresAt: message.createdAt + validityMs,
    message,
  }
}
