import type { Ticket } from '../domain/ids.ts'
import type { FinalStatus } from '../domain/message.ts'
import type { CallbackRow } from './callbacks.ts'
import type { UnsettledMessage } from './messages.ts'

/** How a message ended, and why when it did not arrive. */
export interface Ending {
  ticket: Ticket
  status: FinalStatus
  carrierRef: string
  reason?: string
  /** When the carrier took the message, as far as is known; 0 when it never did. What the outbox says comes before. */
  submittedAt: number
  /** The claim under which a job decided it. A receipt has none, and always counts. */
  epoch?: number
}

/** The first ending of a message that is not final yet. */
export interface First {
  ending: Ending
  message: UnsettledMessage
  recipientKey: number
  /** The callback that will tell of it; undefined when none was asked for. */
  callback: CallbackRow | undefined
}
