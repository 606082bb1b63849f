/** Calls from sending up to delivery: how accepted messages go out, and how messages end. */
import { firstLease, type NewJob, UNCLAIMED } from '../flow/jobs/outbox.ts'
import type { Ticket } from '../kernel/ids.ts'
import type { FinalStatus, OutgoingMessage } from '../kernel/message.ts'
import type { NewMessage } from './messages.ts'

/** Reserves capacity for messages that are about to be stored. Call `begin` after their commit, or `giveBack`. */
export type Depart = (messages: readonly NewMessage[]) => OpenDeparture

export interface OpenDeparture extends Departure {
  /** Starts sending the stored messages, and releases the capacity of the others. */
  begin(stored: readonly NewMessage[]): void
  giveBack(): void
}

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
      id,
      kind: 'scheduled',
      lane: '',
      owner: walletId,
      runAt: sendAt,
      ...UNCLAIMED,
      expiresAt: sendAt + validityMs,
    }
  const lane = departure.laneOf(message)
  return {
    id,
    kind: 'dispatch',
    lane,
    owner: walletId,
    runAt: createdAt,
    ...firstLease(createdAt, departure.leaseMs(message)),
    expiresAt: createdAt + validityMs,
  }
}

export interface JobTimes {
  /** How long a message may take to be delivered before it expires. */
  validityMs: number
  departure: Departure
}

/**
 * Makes messages final: the first ending wins, later ones are only recorded. If some cannot be settled, the others are
 * settled before this rejects, with `EndingsFailed` or, when none can be, with what failed them.
 */
export type EndMessages = (endings: readonly Ending[], wait?: LockWait) => Promise<void>

interface LockWait {
  /** For each lock. Default: short, since a batch tries again later what a lock holds up. */
  lockWaitMs?: number
}

/** How a message ended, and why when it did not arrive. */
export interface Ending {
  ticket: Ticket
  status: FinalStatus
  carrierRef: string
  reason?: string
  /** When the carrier took the message, if known; 0 if it never did. A time in the outbox takes precedence. */
  submittedAt: number
  /** The claim under which a job decided this. A receipt has none and does not depend on a claim. */
  epoch?: number
  /** When the message was handed over that a carrier answered with this. It counts until the next hand-over, whatever the claim. */
  ofHandOver?: number
}
