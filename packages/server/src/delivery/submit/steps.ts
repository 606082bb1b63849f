import type { Ticket } from '../../domain/ids.ts'
import type { OutgoingMessage } from '../../domain/message.ts'
import type { Tx } from '../../platform/database/database.ts'
import { updateRows } from '../../platform/database/rows.ts'
import { finishedClaim, type Job, NEXT_STEP, type NextStep, storingWork } from '../../platform/jobs/outbox.ts'
import type { Ending } from '../finish/endings.ts'
import type { TakenRefs } from './costs.ts'

/** The result of a message's job: its next step or the end of its message, and what the carrier took. */
export type Decision = ({ step: MessageStep } | { ending: Ending }) & TakenRefs

/** A message's job. */
export interface MessageJob extends Job {
  /** The message to send, if it is already loaded. */
  message?: OutgoingMessage
}

/** The next step of a message's job, with what is known of its submission. */
export type MessageStep = NextStep & Pick<Job, 'carrierRef' | 'submittedAt'> & Pick<Ending, 'ofHandOver'>

/** A step raises the epoch, so that an older claim can move nothing after it. */
const MESSAGE_STEP = {
  by: ['id'],
  either: ['epoch', 'handedAt'],
  set: [...NEXT_STEP.set, 'carrierRef', 'submittedAt'],
  also: 'epoch = outbox.epoch + 1',
} as const

/** Moves messages to their next step. Skips those that another process has claimed since, unless a carrier answered. */
export async function rescheduleMessages(tx: Tx, steps: readonly MessageStep[]): Promise<void> {
  const rows = steps.map((step) => ({ ...step, ...finishedClaim(step), handedAt: step.ofHandOver ?? null }))
  await updateRows(tx, tx.t.outbox, rows, MESSAGE_STEP)
}

/**
 * Records that claimed messages are about to be submitted to a carrier: from here on they wait for receipts. Keeps the
 * time, and the references of long messages. Only those that this process still holds may be submitted.
 */
export const markHandedOver = storingWork('await', ['handedAt', 'longRef'])

/**
 * Something that a job decides, under its claim of the moment when that is stored: one that ended while storing was tried
 * may have been followed by another of this process, which makes no other decision.
 */
function underClaimOf<T extends object>(job: Job, what: T): T & Pick<Job, 'epoch'> {
  return {
    ...what,
    get epoch() {
      return job.epoch
    },
  }
}

/** The job's next step: as it is now, with changes. */
export function step(
  job: Job,
  next: Partial<Omit<MessageStep, 'epoch'>> & Pick<NextStep, 'kind' | 'runAt'>,
): MessageStep {
  const { id, lane, owner, attempts, carrierRef, submittedAt } = job
  return underClaimOf(job, { id, lane, owner, attempts, carrierRef, submittedAt, lapsed: false, ...next })
}

/** An ending decided by a job rather than by a receipt. */
export function decided(job: Job, status: Ending['status'], reason: string): Ending {
  const { id, carrierRef, submittedAt } = job
  const ending = { ticket: id as Ticket, status, carrierRef: carrierRef ?? '', submittedAt, reason }
  return underClaimOf(job, ending)
}

/**
 * A decision about a hand-over that nobody else can make, since only this process knows how it went. It counts until the
 * message is handed over again, even if another process has claimed it meanwhile.
 */
export function ofHandOver(job: Job, decision: Decision): Decision {
  const of = { ofHandOver: job.handedAt }
  return 'step' in decision
    ? { ...decision, step: underClaimOf(job, { ...decision.step, ...of }) }
    : { ...decision, ending: underClaimOf(job, { ...decision.ending, ...of }) }
}

export function expired(job: Job, reason: string): Decision {
  return { ending: decided(job, 'expired', reason) }
}
