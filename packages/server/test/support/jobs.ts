import type { NewJob } from '../../src/platform/jobs/outbox.ts'
import { NOW } from './rows-of.ts'

/** A job as it is put into the outbox, for anybody to claim. */
export const unclaimed = (id: string, changes: Partial<NewJob> = {}): NewJob => ({
  id,
  kind: 'dispatch',
  runAt: NOW,
  leaseUntil: 0,
  epoch: 0,
  expiresAt: 0,
  ...changes,
})
