import type { Status } from './message.ts'

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
 * What a customer reads about the end of a message; undefined where nothing failed. What is stored may be the words of a
 * carrier, which can repeat what it was sent with its password: they are for the operator.
 */
export function failureReasonOf(message: {
  status: Status
  failureReason: string | null
}): FailureReason | undefined {
  const { status, failureReason } = message
  const ours = OURS.find((reason) => reason === failureReason)
  return ours ?? (status in IN_PLACE ? IN_PLACE[status as keyof typeof IN_PLACE] : undefined)
}
