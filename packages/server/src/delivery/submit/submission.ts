import type { Job } from '../../flow/jobs/outbox.ts'
import { epochMs } from '../../kernel/ids.ts'
import { type OutgoingMessage, RECEIPT_GRACE_MS } from '../../kernel/message.ts'
import { MINUTE_MS } from '../../kernel/time/spans.ts'
import type { Submission } from '../carrier.ts'

/** Validity given to the carrier for a message whose own is nearly over. */
const LEAST_VALIDITY_MS = MINUTE_MS

/** A message as its carrier gets it, without the parts that an earlier submission has brought there. */
export function submission(
  job: Job,
  message: OutgoingMessage,
  { now, taken = [] }: { now: number; taken: readonly number[] | undefined },
): Submission {
  const { id, sender, to, content, encoding } = message
  // The carrier stops trying earlier than the message expires here, so that its last receipt still counts.
  const expiresAt = epochMs(Math.max(job.expiresAt - RECEIPT_GRACE_MS, now + LEAST_VALIDITY_MS))
  const reference = job.longRef ?? 0
  return { ticket: id, sender, recipient: to.digits, content, encoding, expiresAt, reference, taken }
}
