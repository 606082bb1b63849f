import type { UncertainMessage } from './uncertain.ts'

/** The columns of a list of uncertain messages for their carrier, who adds `status` and perhaps `message_id`. */
export const UNCERTAIN_COLUMNS = ['reference', 'to', 'from', 'time'] as const

/** One message, as its carrier can look it up. The reference is our ticket, by which the carrier's answer is read again. */
export function uncertainCells({ ticket, recipient, sender, handedAt }: UncertainMessage): string[] {
  return [ticket, recipient, sender, new Date(handedAt).toISOString()]
}
