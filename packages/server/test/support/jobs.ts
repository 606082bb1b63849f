import type { JobKind, LaneName, NewJob } from '../../src/platform/jobs/outbox.ts'
import { NOW } from './rows-of.ts'

/** A lane of a kind, the unnamed one unless told otherwise. */
export const laneOf = (kind: JobKind, name = ''): LaneName => ({ kind, lane: name })

/** A job as it is put into the outbox, for anybody to claim. */
export const unclaimed = (id: string, changes: Partial<NewJob> = {}): NewJob => ({
  id,
  kind: 'dispatch',
  lane: '',
  runAt: NOW,
  leaseUntil: 0,
  epoch: 0,
  expiresAt: 0,
  ...changes,
})
