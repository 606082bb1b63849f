import type { Ticket } from '../../domain/ids.ts'
import type { Job, NextStep } from '../../platform/jobs/outbox.ts'
import type { Ending } from '../finish/endings.ts'
import type { TakenRefs } from './costs.ts'

/** The result of a message's job: its next step or the end of its message, and what the carrier took. */
export type Decision = ({ step: NextStep } | { ending: Ending }) & TakenRefs

/** The job's next step: as it is now, with changes. */
export function step(job: Job, next: Partial<NextStep> & Pick<NextStep, 'kind' | 'runAt'>): NextStep {
  const { id, lane, owner, epoch, attempts, carrierRef, submittedAt } = job
  return { id, lane, owner, epoch, attempts, carrierRef, submittedAt, lapsed: false, ...next }
}

/** An ending decided by a job rather than by a receipt: it counts only while the job is held. */
export function decided(job: Job, status: Ending['status'], reason: string): Ending {
  const { id, carrierRef = '', submittedAt, epoch } = job
  return { ticket: id as Ticket, status, carrierRef, submittedAt, reason, epoch }
}

export function expired(job: Job, reason: string): Decision {
  return { ending: decided(job, 'expired', reason) }
}
