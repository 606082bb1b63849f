import { type Job, type JobKind, type LaneName, type NewJob, NOBODY } from '../../src/flow/jobs/outbox.ts'
import { type ClaimLimits, JobQueue } from '../../src/flow/jobs/queue.ts'
import type { Database } from '../../src/store/database.ts'
import { NOW } from './rows-of.ts'

/** A lane of a kind, the unnamed one unless told otherwise. */
export const laneOf = (kind: JobKind, name = ''): LaneName => ({ kind, lane: name })

/** A job as it is put into the outbox, for anybody to claim. */
export const unclaimed = (id: string, changes: Partial<NewJob> = {}): NewJob => ({
  id,
  kind: 'dispatch',
  lane: '',
  owner: NOBODY,
  runAt: NOW,
  leaseUntil: 0,
  epoch: 0,
  expiresAt: 0,
  ...changes,
})

/** Claims as a process does that has just started. */
export const claim = (database: Database, lane: LaneName, limits: ClaimLimits): Promise<Job[]> =>
  new JobQueue(database).claim(lane, limits)
