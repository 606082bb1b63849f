import type { EpochMs, Ticket } from './ids.ts'
import type { Recipient } from './phone/phone.ts'
import { HOUR_MS } from './time/spans.ts'

/** The public statuses of a message. A carrier's progress is stored separately and never appears here. */
export const STATUSES = [
  'scheduled',
  'pending',
  'success',
  'undelivered',
  'expired',
  'rejected',
  'failed',
  'cancelled',
] as const
export type Status = (typeof STATUSES)[number]

/** The statuses that a message never leaves. */
export const FINAL_STATUSES = [
  'success',
  'undelivered',
  'expired',
  'rejected',
  'failed',
  'cancelled',
] as const satisfies readonly Status[]
export type FinalStatus = (typeof FINAL_STATUSES)[number]

/** Every allowed transition. The first final status wins, so final statuses have none. */
const MOVES: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  scheduled: ['pending', 'cancelled'],
  pending: ['success', 'undelivered', 'expired', 'rejected', 'failed'],
}

/** How the held money is settled: only delivered messages are charged. */
const SETTLEMENT: Readonly<Record<FinalStatus, 'post' | 'void'>> = {
  success: 'post',
  undelivered: 'void',
  expired: 'void',
  rejected: 'void',
  failed: 'void',
  cancelled: 'void',
}

export function isFinal(status: Status): status is FinalStatus {
  return status in SETTLEMENT
}

/** Whether a message may move from one status to another. */
export function canMove(from: Status, to: Status): boolean {
  return MOVES[from]?.includes(to) === true
}

/** Whether the final status charges the held money (`post`) or releases it (`void`). */
export function settlementOf(status: FinalStatus): 'post' | 'void' {
  return SETTLEMENT[status]
}

/** How long after the end of its validity a message still waits for its receipt. */
export const RECEIPT_GRACE_MS = HOUR_MS

/** The data of a message that carriers and the choice among them need. */
export interface OutgoingMessage {
  id: Ticket
  accountId: string
  sender: string
  to: Recipient
  content: string
  encoding: 'GSM-7' | 'UCS-2'
  segments: number
  country: string
  network: string | null
  createdAt: EpochMs
}

/** Why messages end, in our words. Customers may read them. */
export const FAILURES = {
  neverSubmitted: 'Its validity ended before it could be submitted.',
  noReceipt: 'No receipt came within the validity period.',
  noCarrier: 'No carrier takes messages to this number.',
  decided: 'Decided by the operator: the carrier never answered.',
  simulatorRefused: 'The simulator refuses this number.',
  simulatorUndelivered: 'The simulator says that the phone cannot be reached.',
  simulatorExpired: 'The simulator says that the message waited too long.',
} as const

/** In place of a carrier's own words. */
const IN_PLACE = {
  undelivered: 'The carrier could not deliver it.',
  expired: 'The carrier could not deliver it in time.',
  rejected: 'The carrier refused it.',
  failed: 'The carrier did not send it.',
} as const satisfies Partial<Record<Status, string>>

/** Every text that a customer may read about the end of a message. */
export type FailureReason =
  | (typeof FAILURES)[keyof typeof FAILURES]
  | (typeof IN_PLACE)[keyof typeof IN_PLACE]

const OURS: readonly FailureReason[] = Object.values(FAILURES)

/**
 * The reason for a message's end, as its customer reads it; undefined where nothing failed. Never a carrier's
 * words, which are stored for the operator: they can repeat what the carrier was sent, with its password.
 */
export function failureReasonOf(message: {
  status: Status
  failureReason: string | null
}): FailureReason | undefined {
  const { status, failureReason } = message
  const ours = OURS.find((reason) => reason === failureReason)
  return ours ?? (status in IN_PLACE ? IN_PLACE[status as keyof typeof IN_PLACE] : undefined)
}
