import type { EpochMs } from '../domain/ids.ts'
import type { Database } from './database.ts'
import { claim, type Job, type JobKind, nextDue, release } from './outbox.ts'

export type { Job, JobKind } from './outbox.ts'

/** The outbox, as the worker sees it. */
export interface JobQueue {
  claim(kind: JobKind, options: { now: EpochMs; leaseMs: number; limit: number }): Promise<Job[]>
  /** When there is something to claim; undefined when nothing waits. */
  nextDue(kind: JobKind, now: EpochMs): Promise<number | undefined>
  release(jobs: readonly Job[], now: EpochMs): Promise<void>
}

export function createJobQueue(database: Database): JobQueue {
  return {
    claim: (kind, options) =>
      database.write((connection) => claim(connection, kind, options), { patient: true }),
    nextDue: (kind, now) => database.read((connection) => nextDue(connection, kind, now)),
    release: (jobs, now) => database.write((connection) => release(connection, jobs, now)),
  }
}
