import type { EpochMs } from '../domain/ids.ts'
import { type Database, RowLocked, StoreUnavailable } from './database.ts'
import { claim, handBackFailed, type Job, type JobKind, nextDue, release, renew } from './outbox.ts'

export type { Job, JobKind } from './outbox.ts'

/** The outbox, as the worker sees it. */
export interface JobQueue {
  claim(kind: JobKind, options: { now: EpochMs; leaseMs: number; limit: number }): Promise<Job[]>
  /** When there is something to claim; undefined when nothing waits. */
  nextDue(kind: JobKind, now: EpochMs): Promise<number | undefined>
  renew(jobs: readonly Job[], leaseUntil: number): Promise<void>
  /** Gives back those of the jobs that are not settled, for any process to claim at once. */
  release(jobs: readonly Job[], now: EpochMs): Promise<void>
  /** Gives back those of the jobs that are not settled because their handling failed. */
  failed(jobs: readonly Job[], error: unknown, now: EpochMs): Promise<void>
}

export function createJobQueue(database: Database): JobQueue {
  return {
    claim: (kind, options) =>
      database.write((connection) => claim(connection, kind, options), { patient: true }),
    nextDue: (kind, now) => database.read((connection) => nextDue(connection, kind, now)),
    renew: (jobs, leaseUntil) =>
      database.write((connection) => renew(connection, jobs, leaseUntil), { patient: true }),
    release: (jobs, now) => database.write((connection) => release(connection, jobs, now)),
    async failed(jobs, error, now) {
      // A store that takes nothing now says nothing of the jobs: they come back when their lease ends.
      if (error instanceof StoreUnavailable || error instanceof RowLocked) return
      await database.write((connection) => handBackFailed(connection, jobs, now), { patient: true })
    },
  }
}
