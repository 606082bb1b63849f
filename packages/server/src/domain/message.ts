/** The public statuses of a message. A carrier's own progress is kept apart and never shows here. */
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

/** Every legal move. The first final status wins, so a final one has no way out. */
const MOVES: Readonly<Record<Status, readonly Status[]>> = {
  scheduled: ['pending', 'cancelled'],
  pending: ['success', 'undelivered', 'expired', 'rejected', 'failed'],
  success: [],
  undelivered: [],
  expired: [],
  rejected: [],
  failed: [],
  cancelled: [],
}

/** What becomes of the held money: only a delivered message is paid for. */
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

export function canMove(from: Status, to: Status): boolean {
  return MOVES[from].includes(to)
}

export function settles(status: FinalStatus): 'post' | 'void' {
  return SETTLEMENT[status]
}
