import type { Micros } from '@wigwag/contract'
import type { NewCallback } from '../../callbacks/index.ts'
import type { Ticket } from '../../domain/ids.ts'
import type { FinalStatus } from '../../domain/message.ts'
import type { OpenMessage } from '../../messages/index.ts'

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

/** The first ending of a message that is not final yet. */
export interface First {
  ending: Ending
  message: OpenMessage
  recipientKey: number
  /** The callback to post for it; undefined when the send named no URL. */
  callback: NewCallback | undefined
  /** With it, the callback is stored as already claimed by this process. */
  callbackLeaseMs: number | undefined
}

/** An ending that counted, with what it cost. */
export interface Won extends First {
  cost: Micros
  balanceBefore: Micros
  balanceAfter: Micros
}
