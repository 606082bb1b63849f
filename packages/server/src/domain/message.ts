import type { EpochMs, Ticket } from './ids.ts'

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
export const RECEIPT_GRACE_MS = 3_600_000

/** The data of a message that carriers and the choice among them need. */
export interface OutgoingMessage {
  id: Ticket
  accountId: string
  sender: string
  recipient: string
  content: string
  encoding: 'GSM-7' | 'UCS-2'
  segments: number
  country: string
  network: string | null
  createdAt: EpochMs
}
